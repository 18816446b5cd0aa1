⍝ Dates: leap years, days of the year and of the week.
leap←{(0=4|⍵)∧(0≠100|⍵)∨0=400|⍵}
⎕←leap 1900 2000 2023 2024
⎕←{⍵/⍨leap ⍵}1995+⍳20
days←31 28 31 30 31 30 31 31 30 31 30 31
⎕←+\days
dayofyear←{y m d←⍵ ⋄ d+(+/(m-1)↑days)+(m>2)∧leap y}
⎕←dayofyear 2024 3 1
⎕←0 24 60 60⊤100000
⎕←24 60 60⊥3 46 40
zeller←{y m d←⍵ ⋄ a←m<3 ⋄ y←y-a ⋄ m←m+12×a ⋄ 7|d+(⌊(13×m+1)÷5)+y+(⌊y÷4)+(⌊y÷400)-⌊y÷100}
⎕←zeller 2024 2 29
⎕←(⌊1000÷7)(7|1000)
