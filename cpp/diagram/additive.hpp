// additive_places: attribute-additive places of the elements of a line diagram. Each attribute has
// a vector, and an element is at the sum of the vectors of its attributes, so that distributive
// parts become parallelograms. explorer-ui/src/additive.ts takes the same steps in the browser.
#pragma once

#include "cpp/base/budget.hpp"
#include "cpp/diagram/geometry.hpp"

namespace conceptrank::diagram {

struct AdditivePlaces {
  Ints x;
  Ints y;
  bool sound = false;  // no elements coincide, and no line runs through an element
};

/// Places by vectors of attributes. Line e goes from upper[e] to lower[e]; `layers` and `columns`
/// are those of the layered diagram. No columns are searched for if an element would be on a layer
/// after `most_layers`. A stopped search returns the best places so far.
AdditivePlaces additive_places(const Ints& upper, const Ints& lower, const Ints& layers,
                               const Ints& columns, Int most_layers, Budget& budget);

}  // namespace conceptrank::diagram
