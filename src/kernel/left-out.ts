/** How a text says that a part of it is left out, and how the part can be read (B4). */
export function leftOutMark(leftOut: number, of: number, ref?: string, from?: number): string {
  const begin = from === undefined ? '' : ` from ${from}`
  const where = ref === undefined ? '' : `; read_result ${JSON.stringify(ref)}${begin}`
  return `… ${grouped(leftOut)} of ${grouped(of)} characters left out${where}`
}

function grouped(n: number): string {
  return n.toLocaleString('en-US')
}
