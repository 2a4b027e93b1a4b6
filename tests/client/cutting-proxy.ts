/** A proxy on the loopback that cuts connections after a few bytes, wherever in an answer that is. */
import { once } from 'node:events'
import { type AddressInfo, connect, createServer, type Socket } from 'node:net'

export interface CuttingProxy {
  readonly url: string
  readonly cuts: number
  close(): Promise<void>
}

/** `bytes` says after how many bytes of its answers the next connection is cut; null: never. */
export async function cuttingProxy(port: number, bytes: () => number | null): Promise<CuttingProxy> {
  const sockets = new Set<Socket>()
  let cuts = 0
  const server = createServer((client) => {
    const service = connect(port, '127.0.0.1')
    let left = bytes()
    for (const socket of [client, service]) {
      sockets.add(socket)
      socket.on('error', () => socket.destroy())
      socket.on('close', () => {
        sockets.delete(socket)
        client.destroy()
        service.destroy()
      })
    }
    client.pipe(service)
    service.on('data', (chunk) => {
      if (left === null) return void client.write(chunk)
      const part = chunk.subarray(0, left)
      left -= part.length
      client.write(part)
      if (left > 0) return
      cuts++
      client.destroy()
    })
  })
  server.listen(0, '127.0.0.1')
  await once(server, 'listening')
  return {
    url: `http://127.0.0.1:${(server.address() as AddressInfo).port}`,
    get cuts() {
      return cuts
    },
    async close() {
      for (const socket of sockets) socket.destroy()
      server.close()
      await once(server, 'close')
    },
  }
}
