/**
 * The filter of system calls for commands in the sandbox, as a program of classic BPF that bubblewrap loads.
 *
 * 1. The keyrings of the kernel are out of reach: no namespace separates them, and Kerberos, fscrypt and others keep keys there.
 * 2. No file becomes set-user-ID or set-group-ID: outside the sandbox, others could execute it with the rights of the user.
 * 3. Calls that this filter can't inspect (openat2, io_uring) don't exist; programs have others for the same.
 * 4. A process may use the system calls of another architecture (32 bits on a 64-bit system): each has a table. Without a table it is killed.
 */

/** Numbers of system calls; an absent one does not exist on that architecture. */
interface Abi {
  /** AUDIT_ARCH_… */
  readonly arch: number
  readonly keys: readonly number[]
  /** Calls with a mode, by the index of that argument. */
  readonly modes: readonly (readonly [call: number, argument: number])[]
  /** Calls whose mode counts only if their flags create a file: the mode is the argument after the flags. */
  readonly opens: readonly (readonly [call: number, flags: number])[]
}

const X86_64: Abi = {
  arch: 0xc000003e,
  keys: [248, 249, 250],
  modes: [
    [90, 1],
    [91, 1],
    [268, 2],
    [452, 2],
    [85, 1],
    [133, 1],
    [259, 2],
  ],
  opens: [
    [2, 1],
    [257, 2],
  ],
}
const I386: Abi = {
  arch: 0x40000003,
  keys: [286, 287, 288],
  modes: [
    [15, 1],
    [94, 1],
    [306, 2],
    [452, 2],
    [8, 1],
    [14, 1],
    [297, 2],
  ],
  opens: [
    [5, 1],
    [295, 2],
  ],
}
const AARCH64: Abi = {
  arch: 0xc00000b7,
  keys: [217, 218, 219],
  modes: [
    [52, 1],
    [53, 2],
    [452, 2],
    [33, 2],
  ],
  opens: [[56, 2]],
}
const ARM: Abi = {
  arch: 0x40000028,
  keys: [309, 310, 311],
  modes: [
    [15, 1],
    [94, 1],
    [333, 2],
    [452, 2],
    [8, 1],
    [14, 1],
    [324, 2],
  ],
  opens: [
    [5, 1],
    [322, 2],
  ],
}
const ABIS: Readonly<Partial<Record<NodeJS.Architecture, readonly Abi[]>>> = {
  x64: [X86_64, I386],
  arm64: [AARCH64, ARM],
}

/** io_uring_setup, io_uring_enter, io_uring_register, openat2: the same numbers everywhere. */
const UNINSPECTED = [425, 426, 427, 437]
/** Of x86_64: calls of the x32 ABI have this bit. */
const X32_BIT = 0x40000000

const SET_ID = 0o6000
/** O_CREAT, and the bit of O_TMPFILE that is its own. */
const CREATES = 0x40 | 0x400000

/** struct sock_filter: an operation, how many instructions are skipped if it is true or false, an operand. */
type Instruction = readonly [code: number, ifTrue: number, ifFalse: number, operand: number]

const LOAD = 0x20
const JUMP_IF_EQUAL = 0x15
const JUMP_IF_AT_LEAST = 0x35
const JUMP_IF_ANY_BIT = 0x45
const RETURN = 0x06

const ALLOW: Instruction = [RETURN, 0, 0, 0x7fff0000]
const KILL: Instruction = [RETURN, 0, 0, 0x80000000]
const NOT_PERMITTED: Instruction = [RETURN, 0, 0, 0x50000 | 1]
const NO_SUCH_CALL: Instruction = [RETURN, 0, 0, 0x50000 | 38]

/** struct seccomp_data; of arguments the lower half, on a little-endian machine. */
const CALL = 0
const ARCH = 4
const argumentAt = (index: number) => 16 + 8 * index

/** Null on an architecture without a table. */
export function seccompFilter(architecture: NodeJS.Architecture = process.arch): Buffer | null {
  const abis = ABIS[architecture]
  if (abis === undefined) return null
  const program: Instruction[] = [[LOAD, 0, 0, ARCH]]
  for (const abi of abis) {
    const rules = rulesOf(abi)
    program.push([JUMP_IF_EQUAL, 0, rules.length, abi.arch], ...rules)
  }
  program.push(KILL)
  return encode(program)
}

/** Ends with a return. Rules are short: a jump reaches 255 instructions. */
function rulesOf({ arch, keys, modes, opens }: Abi): Instruction[] {
  const load: Instruction = [LOAD, 0, 0, CALL]
  return [
    load,
    ...(arch === X86_64.arch ? only([JUMP_IF_AT_LEAST, X32_BIT], [NO_SUCH_CALL]) : []),
    ...UNINSPECTED.flatMap((call) => only([JUMP_IF_EQUAL, call], [NO_SUCH_CALL])),
    ...keys.flatMap((call) => only([JUMP_IF_EQUAL, call], [NOT_PERMITTED])),
    ...modes.flatMap(([call, mode]) => only([JUMP_IF_EQUAL, call], refusingSetId(mode))),
    ...opens.flatMap(([call, flags]) =>
      only(
        [JUMP_IF_EQUAL, call],
        [
          [LOAD, 0, 0, argumentAt(flags)],
          ...only([JUMP_IF_ANY_BIT, CREATES], refusingSetId(flags + 1)),
          ALLOW,
        ],
      ),
    ),
    ALLOW,
  ]
}

function refusingSetId(mode: number): Instruction[] {
  return [[LOAD, 0, 0, argumentAt(mode)], ...only([JUMP_IF_ANY_BIT, SET_ID], [NOT_PERMITTED]), ALLOW]
}

/** Instructions that are executed if a test is true. They end with a return. */
function only([test, operand]: readonly [number, number], then: readonly Instruction[]): Instruction[] {
  return [[test, 0, then.length, operand], ...then]
}

function encode(program: readonly Instruction[]): Buffer {
  const bytes = Buffer.alloc(8 * program.length)
  program.forEach(([code, ifTrue, ifFalse, operand], at) => {
    bytes.writeUInt16LE(code, 8 * at)
    bytes.writeUInt8(ifTrue, 8 * at + 2)
    bytes.writeUInt8(ifFalse, 8 * at + 3)
    bytes.writeUInt32LE(operand, 8 * at + 4)
  })
  return bytes
}
