// The document in a multipart body: a part with one of these names, as a field or as a file. Other parts are discarded.
import { Busboy } from '@fastify/busboy'
import type { DocumentReader } from './document-reader.ts'
import { createByteList } from './byte-list.ts'
import { defined } from '../defined.ts'

const MAX_PARTS = 100
const MAX_END_MS = 1_000
const MAX_HEADER_BYTES = 16 * 1024

export function createPartReader(contentType: string, fields: readonly string[], maxBytes: number): DocumentReader {
  const found = new Map<string, { readonly bytes: () => Uint8Array; isTooLarge: boolean }>()
  let isBroken = false
  const { promise: ended, resolve: end } = Promise.withResolvers<void>()
  const parser = openParser(contentType)
  if (parser === null) return { write() {}, end: async () => 'parse_error' }

  parser.on('file', (name, part) => {
    part.on('error', () => {})
    if (name === undefined || !fields.includes(name) || found.has(name)) return void part.resume()
    const bytes = createByteList(maxBytes)
    const document = { bytes: bytes.all, isTooLarge: false }
    found.set(name, document)
    part.on('data', (chunk: Buffer) => {
      if (!document.isTooLarge) document.isTooLarge = !bytes.add(chunk)
    })
  })
  parser.on('finish', end)
  parser.on('error', () => {
    isBroken = true
    // Data of the broken part are emitted first.
    setImmediate(end)
  })

  return {
    write(chunk) {
      if (!isBroken) parser.write(chunk)
    },
    async end() {
      if (!isBroken) parser.end()
      // The whole body has arrived, so the wait is short.
      const timer = setTimeout(end, MAX_END_MS)
      await ended
      clearTimeout(timer)
      const name = fields.find((field) => found.has(field))
      const document = name === undefined ? undefined : found.get(name)
      if (document === undefined) return isBroken ? 'parse_error' : null
      // A complete document counts, even if the end of the body is missing.
      return document.isTooLarge ? 'too_large' : document.bytes()
    },
  }
}

/** Null without a boundary. */
export function openParser(contentType: string, fileHwm?: number) {
  try {
    return new Busboy({
      headers: { 'content-type': contentType },
      // Fields would be decoded; signatures need the bytes.
      isPartAFile: () => true,
      ...defined({ fileHwm }),
      limits: { parts: MAX_PARTS, headerPairs: 100, headerSize: MAX_HEADER_BYTES },
    })
  } catch {
    return null
  }
}
