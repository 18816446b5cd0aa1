⍝ Selections in one statement, each counted by a work-group: lengths that the run compares.
⎕←(((⍳20)>3)/⍳20)+((⍳20)>3)/⍳20
