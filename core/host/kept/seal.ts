// The file of a kept request: a line with its head, encrypted by the vault, then its body, encrypted with a key of its
// own that is in the head. The body is handled in pieces, because encrypting megabytes at once blocks the event loop.
import { createCipheriv, createDecipheriv, randomBytes } from 'node:crypto'
import { yieldToLoop } from '@playhead/sdk'
import { type Vault, VaultError } from '../../storage/vault.ts'

const PIECE_BYTES = 256 * 1024
const TAG_BYTES = 16
const NEW_LINE = '\n'.charCodeAt(0)

export interface KeptRequest {
  readonly method: string
  /** With the query. */
  readonly url: string
  readonly headers: Readonly<Record<string, string>>
  /** Address of the peer, before proxies. */
  readonly remoteAddress: string
  readonly atMs: number
  readonly body: Uint8Array
}

interface Head extends Omit<KeptRequest, 'body'> {
  /** Base64. */
  readonly key: string
  readonly nonce: string
}

interface SealedRequest {
  readonly bytes: number
  readonly content: AsyncIterable<Uint8Array>
}

/** @param address the place of the file; required to open it */
export function sealRequest({ body, ...facts }: KeptRequest, vault: Vault, address: string): SealedRequest {
  const [key, nonce] = [randomBytes(32), randomBytes(12)]
  const head: Head = { ...facts, key: key.toString('base64'), nonce: nonce.toString('base64') }
  const line = Buffer.from(`${vault.encrypt(JSON.stringify(head), address)}\n`)
  return { bytes: line.length + body.length + TAG_BYTES, content: pieces() }

  async function* pieces(): AsyncGenerator<Uint8Array> {
    yield line
    const cipher = createCipheriv('aes-256-gcm', key, nonce)
    for (let at = 0; at < body.length; at += PIECE_BYTES) yield cipher.update(body.subarray(at, at + PIECE_BYTES))
    yield cipher.final()
    yield cipher.getAuthTag()
  }
}

/** Throws a VaultError. */
export async function openRequest(file: Buffer, vault: Vault, address: string): Promise<KeptRequest> {
  const end = file.indexOf(NEW_LINE)
  const { key, nonce, ...facts } = JSON.parse(vault.decrypt(file.toString('latin1', 0, end), address)) as Head
  const decipher = createDecipheriv('aes-256-gcm', Buffer.from(key, 'base64'), Buffer.from(nonce, 'base64'))
  const sealed = file.subarray(end + 1, -TAG_BYTES)
  const body: Buffer[] = []
  try {
    decipher.setAuthTag(file.subarray(-TAG_BYTES))
    for (let at = 0; at < sealed.length; at += PIECE_BYTES) {
      body.push(decipher.update(sealed.subarray(at, at + PIECE_BYTES)))
      await yieldToLoop()
    }
    body.push(decipher.final())
  } catch {
    throw new VaultError('damaged', `The body of the kept request at ${address} is damaged.`)
  }
  return { ...facts, body: Buffer.concat(body) }
}
