// What the binding files share with each other.
#pragma once

#include <string>

#include "conceptrank/scores.hpp"
#include "convert.hpp"

namespace conceptrank::bindings {

Side side_of(const std::string& side);

/// Face scores as a matrix with one row a concept; no copy.
nb::object score_matrix(std::vector<FaceScore>&& scores);

}  // namespace conceptrank::bindings
