⍝ π by the share of the first ⍵ points of Sobol's sequence that lie in the circle; ⍺ has the directions of two dimensions.
⍝: pi [int]2 [int]0
pi ← {
  directions ← 2 30⍴⍺
  i ← ⍳⍵
  gray ← i ⎕INT32XOR i ⎕INT32SHR 1
  chosen ← gray∘.{2|⍺ ⎕INT32SHR ⍵}¯1+⍳30
  points ← (chosen ⎕INT32XOR.× ⍉directions)÷2*30
  4×(+/1>+/points×points)÷⍵
}
