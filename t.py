import doctest, conceptrank.suborder as s
print(doctest.testmod(s, optionflags=doctest.ELLIPSIS))
