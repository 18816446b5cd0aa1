⍝ Differences between neighbours of a signal, relative to its level and limited, and their sum.
⍝: signal [double]1
signal ← {+/ ¯50⌈50⌊50×((1↓⍵)-¯1↓⍵)÷0.01+1↓⍵}
