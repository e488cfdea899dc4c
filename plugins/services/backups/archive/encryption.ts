// Encryption with a passphrase in the age format (https://age-encryption.org/v1), so that `age -d` opens it too.
import { Decrypter, Encrypter } from 'age-encryption'
import { PlayheadError } from '@playhead/sdk'

// scrypt with N = 2^17, r = 8, p = 1: 128 MiB and about a second.
const WORK = 17
/** A foreign file may ask for more memory than exists. */
const MAX_WORK = 18
const HEADER_BYTES = 4 * 1024

export async function encrypted(
  plain: ReadableStream<Uint8Array>,
  passphrase: string,
): Promise<ReadableStream<Uint8Array>> {
  const encrypter = new Encrypter()
  encrypter.setScryptWorkFactor(WORK)
  encrypter.setPassphrase(passphrase)
  return await encrypter.encrypt(plain)
}

/** Throws PLH_INVALID: `passphrase_wrong` or `archive_damaged`. */
export async function decrypted(
  secret: ReadableStream<Uint8Array>,
  passphrase: string,
): Promise<ReadableStream<Uint8Array>> {
  const [head, all] = await peek(secret)
  const work = /^age-encryption\.org\/v1\n-> scrypt [A-Za-z0-9+/]+ (\d{1,3})\n/.exec(head)?.[1]
  if (work === undefined || Number(work) > MAX_WORK) {
    await all.cancel()
    throw damaged()
  }
  const decrypter = new Decrypter()
  decrypter.addPassphrase(passphrase)
  try {
    return await decrypter.decrypt(all)
  } catch (error) {
    throw new PlayheadError('PLH_INVALID', 'The passphrase is wrong.', { wire: 'passphrase_wrong', cause: error })
  }
}

function damaged(): PlayheadError {
  return new PlayheadError('PLH_INVALID', 'The encrypted part of the backup is damaged.', { wire: 'archive_damaged' })
}

/** The first bytes as text, and the whole stream. */
async function peek(
  stream: ReadableStream<Uint8Array>,
): Promise<readonly [head: string, all: ReadableStream<Uint8Array>]> {
  const reader = stream.getReader()
  const first: Uint8Array[] = []
  let length = 0
  while (length < HEADER_BYTES) {
    const { done, value } = await reader.read()
    if (done) break
    first.push(value)
    length += value.length
  }
  const head = Buffer.concat(first).subarray(0, HEADER_BYTES).toString('latin1')
  const all = new ReadableStream<Uint8Array>({
    start(controller) {
      for (const chunk of first) controller.enqueue(chunk)
    },
    async pull(controller) {
      const { done, value } = await reader.read()
      if (done) controller.close()
      else controller.enqueue(value)
    },
    cancel: (reason) => reader.cancel(reason),
  })
  return [head, all]
}
