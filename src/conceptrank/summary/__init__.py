"""The short list: methods that pick the concepts which matter."""
