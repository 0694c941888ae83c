package perflib

// MergeTitles is mergeTitles, for the tests.
var MergeTitles = mergeTitles
