//! Helper functions that compact the kept ones of a few elements.
//!
//! AVX-512 has an instruction for this, but OpenCL C does not. If the device's compiler targets AVX-512 and knows
//! Clang's builtin for the instruction, the helpers use it. Otherwise they write all elements one after the other, each
//! over the previous one if that was not kept.

use std::sync::LazyLock;

/// Elements compacted by one call.
pub const TOGETHER: i64 = 16;

pub const HEAD: &str = "\
#if defined(__has_builtin) && defined(__AVX512F__) && defined(__AVX512DQ__) && defined(__AVX512VL__)
#if __has_builtin(__builtin_ia32_cvtd2mask512) && __has_builtin(__builtin_ia32_compresssf512_mask)
#define LIFT_COMPRESS
#endif
#endif
";

pub static INT: LazyLock<String> = LazyLock::new(|| text("int", SIXTEEN, "__builtin_ia32_compresssi512_mask"));
pub static FLOAT: LazyLock<String> = LazyLock::new(|| text("float", SIXTEEN, "__builtin_ia32_compresssf512_mask"));
pub static LONG: LazyLock<String> = LazyLock::new(|| text("long", TWICE_EIGHT, "__builtin_ia32_compressdi512_mask"));
pub static DOUBLE: LazyLock<String> =
    LazyLock::new(|| text("double", TWICE_EIGHT, "__builtin_ia32_compressdf512_mask"));

const SIXTEEN: &str = "  const ushort some = __builtin_ia32_cvtd2mask512(vload16(0, keep) << 31);
  vstore16(COMPRESS(vload16(0, x), (TYPE16)(0), some), 0, to);
  return popcount((uint)some);
";

/// For element types with only eight elements per vector.
const TWICE_EIGHT: &str = "  const uchar first = __builtin_ia32_cvtd2mask256(vload8(0, keep) << 31);
  const uchar second = __builtin_ia32_cvtd2mask256(vload8(1, keep) << 31);
  const int at = popcount((uint)first);
  vstore8(COMPRESS(vload8(0, x), (TYPE8)(0), first), 0, to);
  vstore8(COMPRESS(vload8(1, x), (TYPE8)(0), second), 0, to + at);
  return at + popcount((uint)second);
";

const FRAME: &str = "\
// Compacts those of 16 elements whose keep is 1 to the start of `to`, which has room for 16; returns their number.
static inline int lift_pack_TYPE(__global TYPE* to, const TYPE* x, const int* keep)
{
#ifdef LIFT_COMPRESS
TOGETHER#else
  int at = 0;
  #pragma unroll
  for (int i = 0; i < 16; i++) {
    to[at] = x[i];
    at += keep[i];
  }
  return at;
#endif
}
";

fn text(ty: &str, together: &str, compress: &str) -> String {
    FRAME.replace("TOGETHER", together).replace("COMPRESS(", &format!("{compress}(")).replace("TYPE", ty)
}
