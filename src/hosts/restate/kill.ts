/** Has the engine forget an invocation and all that it called. */
export async function kill(admin: string, invocation: string): Promise<void> {
  await fetch(`${admin}/invocations/${invocation}/kill`, { method: 'PATCH', redirect: 'error' })
}
