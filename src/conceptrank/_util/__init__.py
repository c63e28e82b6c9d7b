"""Helpers without a room: lists of numbers, texts, names, files that are written as a whole."""
