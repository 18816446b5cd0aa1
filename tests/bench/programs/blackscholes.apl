⍝ The mean price of a call after each of these years, by Black's and Scholes's formula.
⍝: mean [double]1
normal ← {
  k ← ÷1+0.2316419×|⍵
  series ← k×0.31938153+k×¯0.356563782+k×1.781477937+k×¯1.821255978+k×1.330274429
  tail ← series×(*-⍵×⍵÷2)÷(○2)*0.5
  (⍵≥0)+tail×1-2×⍵≥0
}
stock ← 60 ⋄ strike ← 65 ⋄ rate ← 0.1 ⋄ volatility ← 0.2
price ← {
  spread ← volatility×⍵*0.5
  d ← ((⍟stock÷strike)+⍵×rate+(volatility*2)÷2)÷spread
  (stock×normal d)-strike×(*-rate×⍵)×normal d-spread
}
mean ← {(+/price ⍵)÷≢⍵}
