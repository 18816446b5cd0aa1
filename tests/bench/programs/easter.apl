⍝ The date of Easter in each year, and the latest of a calendar (month and day).
⍝: latest [int]1
easter ← {
  golden ← 1+19|⍵
  century ← 1+⌊⍵÷100
  leaps ← ¯12+⌊(3×century)÷4
  orbit ← ¯5+⌊(5+8×century)÷25
  sunday ← (⌊(5×⍵)÷4)-leaps+10
  epact ← 30|(11×golden)+20+orbit-leaps
  epact ← epact+(epact=24)∨(epact=25)∧golden>11
  full ← 44-epact
  full ← full+30×epact>23
  day ← full+7-7|sunday+full
  (100×3+day>31)+day-31×day>31
}
latest ← {⌈/easter ⍵}
