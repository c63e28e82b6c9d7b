// TreeWalk: a depth-first walk over a part of the search tree. The miner, a branch of a large run
// and the estimate of the number of concepts all walk with it; each passes a visitor.
//
// A visitor has five members:
//   bool goes_on();          whether to make one more node; false ends the walk
//   void enter(const Node&); called before a node is expanded
//   void prune(Node& node);  may clear Branch::child of an expanded node's branches
//   void visit(TreeWalk& walk, const Branch& branch);
//                            called for every node below the first. Its frame is
//                            walk.at(walk.depth()), that of its parent the one before; `branch` of
//                            the parent leads to it
//   void replace(std::size_t depth);
//                            the node at depth + 1 takes the place of its parent at `depth`, which
//                            has no children left; so a chain of any length needs two frames
#pragma once

#include <memory>
#include <utility>

#include "cpp/search/search.hpp"

namespace conceptrank {

/// An expanded node, and those of its children that are still to be made.
struct Frame {
  Node node;
  std::size_t next = 0;      // the branch to look at next
  std::size_t children = 0;  // children from there on
  double share = 1;          // of the whole tree, for each child; a guess, for progress

  const Branch& next_child() {
    while (!node.branches[next].child) ++next;
    return node.branches[next];
  }

  /// Takes the second half of the children, or the only one, into a frame of their own.
  Frame split() {
    Frame half = *this;
    children /= 2;
    half.children -= children;
    for (std::size_t k = 0; k < children; ++k) {
      half.next_child();
      ++half.next;
    }
    return half;
  }
};

/// One object per thread. Frames and their memory are kept from one part of the tree to the next.
class TreeWalk {
 public:
  explicit TreeWalk(Search& search) : search_(search) {
    add_frame();
    add_frame();
  }

  /// The frame of the first node. The caller makes the node and expands it.
  Frame& first() {
    depth_ = 0;
    return at(0);
  }
  /// Expands a frame's node and counts its children.
  template <class Visitor>
  void expand(Frame& frame, Visitor& visitor);
  /// Visits everything below the first frame. False if the visitor ended the walk.
  template <class Visitor>
  bool run(Visitor& visitor);

  /// The number of the current node's frame. Frames 0 to depth() lead to it.
  std::size_t depth() const { return depth_; }
  Frame& at(std::size_t depth) { return *frames_[depth]; }

 private:
  void add_frame() { frames_.push_back(std::make_unique<Frame>()); }

  Search& search_;
  std::vector<std::unique_ptr<Frame>> frames_;  // at least two: one for a node, one for its child
  std::size_t depth_ = 0;
};

template <class Visitor>
void TreeWalk::expand(Frame& frame, Visitor& visitor) {
  visitor.enter(frame.node);
  search_.expand(frame.node);
  visitor.prune(frame.node);
  frame.next = 0;
  frame.children = 0;
  for (const Branch& branch : frame.node.branches) frame.children += branch.child ? 1 : 0;
  frame.share /= static_cast<double>(frame.children + 1);
}

template <class Visitor>
bool TreeWalk::run(Visitor& visitor) {
  std::size_t depth = 0;
  for (;;) {
    Frame& frame = at(depth);
    depth_ = depth;
    if (frame.children == 0) {
      if (depth == 0) return true;
      --depth;
      continue;
    }
    if (!visitor.goes_on()) return false;
    Frame& below = at(depth + 1);
    const Branch& branch = frame.next_child();
    search_.make_child(frame.node, branch, below.node);
    ++frame.next;
    --frame.children;
    below.share = frame.share;
    expand(below, visitor);
    depth_ = depth + 1;
    visitor.visit(*this, branch);
    if (below.children == 0) continue;
    if (frame.children == 0) {
      visitor.replace(depth);
      std::swap(frames_[depth], frames_[depth + 1]);
    } else {
      ++depth;
      if (depth + 1 == frames_.size()) add_frame();
    }
  }
}

}  // namespace conceptrank
