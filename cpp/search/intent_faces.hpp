// IntentFaces: the intent faces of the nodes on a search path, without covers. For each attribute
// of the intent it keeps the rows that lack this attribute and no other, as bits over all rows. One
// intersection per attribute updates them from a node to its child. If every attribute has such a
// row, which is usual in sparse tables, the faces are the single attributes. Otherwise the rows
// that have all those attributes are searched for the remaining faces.
#pragma once

#include <memory>

#include "cpp/search/tree_walk.hpp"

namespace conceptrank {

/// One object per thread. A level belongs to a node on the path from the start of the walk to the
/// current node. It is filled when the walk reaches that node.
class IntentFaces {
 public:
  explicit IntentFaces(const SearchTable& table);

  /// Fills the level of the first node of a walk.
  void start(std::size_t level, const Node& node);
  /// Puts the next level in the place of this one: the walk leaves this node for its last child.
  void replace(std::size_t level) { std::swap(levels_[level], levels_[level + 1]); }
  /// The intent faces of the walk's current node, in the order of FaceFamily::sort. `branch` of its
  /// parent leads to it; null for the first node.
  void find(TreeWalk& walk, const Branch* branch, FaceFamily& family);

 private:
  struct Level {
    std::vector<Word> extent;
    std::vector<Index> attributes;        // the intent
    std::vector<std::vector<Word>> near;  // the rows that lack this one alone; memory is kept
    std::vector<char> any;                // whether there are such rows
  };

  Level& at(std::size_t level);
  void descend(std::size_t level, const Node& parent, const Branch& branch, const Node& child);
  void faces(std::size_t level, const Node& node, FaceFamily& family);
  /// The intent faces of a child without children, which needs no level of its own.
  void leaf_faces(std::size_t above, const Node& parent, const Branch& branch, const Node& child,
                  FaceFamily& family);
  /// The rows of an attribute; valid until the next call.
  const Word* column(Index attribute);
  bool any_common(const Word* a, const Word* b) const;
  void find_added(const Node& parent, const Branch& branch);
  template <class AttributeOf, class PlaceOf>
  void add_joint_faces(std::size_t n_open, const AttributeOf& attribute_of, const PlaceOf& place,
                       FaceFamily& family);
  void finish(const std::vector<char>& alone, std::span<const Index> attributes, const Node& node,
              std::span<const Word> extent, std::span<const Word> with, FaceFamily& family);

  const SearchTable& table_;
  const Kernels& kernels_;
  std::size_t words_;
  std::vector<std::unique_ptr<Word[]>> columns_;  // of frequent attributes, made when first needed
  std::vector<Word> rare_;
  std::vector<Index> added_;  // attributes
  std::vector<Word> all_added_;
  std::vector<Word> rest_;
  std::vector<char> alone_;
  std::vector<Index> attributes_;
  std::vector<std::size_t> places_;
  std::vector<std::size_t> filled_;
  std::vector<std::size_t> rows_;
  std::vector<Word> lacking_;
  std::vector<Word> slices_;
  std::vector<Word> left_;
  std::vector<Word> carry_;
  std::vector<std::unique_ptr<Level>> levels_;
};

}  // namespace conceptrank
