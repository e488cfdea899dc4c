// The certificate and key of the listener on disk.
import { readFile } from 'node:fs/promises'
import { join } from 'node:path'
import { replaceFile } from '../../storage/atomic-file.ts'
import { certificateInfo, keyMatches, type CertificateInfo, type KeyPair } from './certificate.ts'

export interface TlsPaths {
  readonly cert: string
  readonly key: string
}

/** Why a key pair is unusable. */
export type TlsProblem =
  | 'certificate_missing'
  | 'certificate_unreadable'
  | 'key_missing'
  | 'key_mismatch'
  | 'not_writable'

type StoredPair =
  | { readonly pair: KeyPair; readonly info: CertificateInfo; readonly problem?: undefined }
  | { readonly problem: TlsProblem }

export function defaultPaths(tlsDirectory: string): TlsPaths {
  return { cert: join(tlsDirectory, 'playhead.crt'), key: join(tlsDirectory, 'playhead.key') }
}

export async function readPair(paths: TlsPaths): Promise<StoredPair> {
  const [cert, key] = await Promise.all([readText(paths.cert), readText(paths.key)])
  if (cert === undefined) return { problem: 'certificate_missing' }
  const info = certificateInfo(cert)
  if (info === undefined) return { problem: 'certificate_unreadable' }
  if (key === undefined) return { problem: 'key_missing' }
  return keyMatches({ cert, key }) ? { pair: { cert, key }, info } : { problem: 'key_mismatch' }
}

/**
 * Writes key and certificate atomically, readable only by the owner. A crash in between leaves a mismatched pair, which
 * the next start replaces.
 */
export async function writePair(paths: TlsPaths, pair: KeyPair): Promise<void> {
  await replaceFile(paths.key, pair.key)
  await replaceFile(paths.cert, pair.cert)
}

/** The text of a file; undefined if missing or unreadable, '' if it is not a file. */
export async function readText(path: string): Promise<string | undefined> {
  try {
    return await readFile(path, 'utf8')
  } catch (error) {
    const { code } = error as NodeJS.ErrnoException
    if (code === 'ENOENT' || code === 'ENOTDIR') return undefined
    if (code === 'EACCES' || code === 'EPERM' || code === 'EISDIR') return ''
    throw error
  }
}
