// Reads a list of the directory of plugins. Its signature covers the exact text of the list, which the file
// holds as a JSON string: `{ "signed": "<text>", "signatures": [{ "key": "<name>", "signature": "<base64>" }] }`.
// Nothing of the text is looked at before a trusted key is found to have signed it.
import { createPublicKey, type KeyObject, sign, verify } from 'node:crypto'
import { setImmediate as nextTurn } from 'node:timers/promises'
import { type TSchema, Type } from '@sinclair/typebox'
import { Value } from '@sinclair/typebox/value'
import compare from 'semver/functions/compare.js'
import validRange from 'semver/ranges/valid.js'
import { Catalogue, CatalogueEntry, type CatalogueVersion, PlayheadError } from '@playhead/sdk'
import type { CatalogueKeys } from './catalogue-keys.ts'

export const MAX_CATALOGUE_BYTES = 1024 * 1024
/** Entries that are checked at once. */
const TURN = 20
const MAX_DEPTH = 12
/** Clocks differ. */
const AHEAD_MS = 24 * 3_600_000
const FIRST_MS = Date.parse('2026-01-01T00:00:00Z')
const SIGNATURE_BYTES = 64
const PROTOTYPE_KEYS: readonly string[] = ['__proto__', 'constructor', 'prototype']
const HOST_ASK = /^host (?:(?:\*\.)?[A-Za-z0-9.-]+(?::\d+)?|config:[A-Za-z0-9_.]+|entered)$/

const Envelope = Type.Object({
  signed: Type.String(),
  signatures: Type.Array(
    Type.Object({
      key: Type.String({ minLength: 1, maxLength: 40 }),
      signature: Type.String({ minLength: 1, maxLength: 200 }),
      /** Only this one is known; a file may say so. */
      algorithm: Type.Optional(Type.Literal('ed25519')),
    }),
    { minItems: 1, maxItems: 10 },
  ),
})

const Outline = Type.Object({ ...Catalogue.properties, plugins: Type.Array(Type.Unknown(), { maxItems: 2_000 }) })

/** Rejects with PLH_INVALID and the first reason why the list cannot be used. */
export async function readCatalogue(file: Uint8Array, keys: CatalogueKeys, nowMs: number): Promise<Catalogue> {
  if (file.length > MAX_CATALOGUE_BYTES)
    throw refused('too_large', `it is larger than ${MAX_CATALOGUE_BYTES / 1024 / 1024} MiB`)
  const envelope = parse(textOf(file), 'the file')
  if (!Value.Check(Envelope, envelope)) throw refused('invalid', reasonOf(Envelope, envelope, 'the file'))
  checkSignatures(envelope.signed, envelope.signatures, keys)

  const value = parse(envelope.signed, 'what is signed')
  checkShape(value, 1)
  const { format } = (value ?? {}) as { readonly format?: unknown }
  if (typeof format === 'number' && format > 1)
    throw refused('newer_format', `it has the format ${format}, which only a later Playhead reads`)
  await nextTurn()
  if (!Value.Check(Outline, value)) throw refused('invalid', reasonOf(Outline, value, 'what is signed'))
  checkDates(value, nowMs)
  const ids = new Set<string>()
  for (const [at, entry] of value.plugins.entries()) {
    if (at % TURN === 0) await nextTurn()
    if (!Value.Check(CatalogueEntry, entry))
      throw refused('invalid', reasonOf(CatalogueEntry, entry, `entry ${at + 1}`))
    if (ids.has(entry.id)) throw refused('invalid', `${entry.id} is in it twice`)
    ids.add(entry.id)
    checkEntry(entry, value.date.slice(0, 10))
  }
  return value as Catalogue
}

/** A list file with one signature. Rejects if the list would be refused. */
export async function signCatalogue(
  catalogue: Catalogue,
  { name, key }: { readonly name: string; readonly key: KeyObject },
  nowMs: number,
): Promise<Buffer> {
  const signed = JSON.stringify(catalogue)
  const signature = sign(null, Buffer.from(signed), key).toString('base64')
  const file = Buffer.from(`${JSON.stringify({ signed, signatures: [{ key: name, signature }] }, null, 1)}\n`)
  await readCatalogue(file, { [name]: publicText(key) }, nowMs)
  return file
}

/** The public key as `CATALOGUE_KEYS` has it. */
export function publicText(key: KeyObject): string {
  return createPublicKey(key).export({ format: 'jwk' }).x as string
}

function checkSignatures(
  signed: string,
  signatures: readonly { readonly key: string; readonly signature: string }[],
  keys: CatalogueKeys,
): void {
  const known = signatures.filter(({ key }) => Object.hasOwn(keys, key))
  if (known.length === 0)
    throw refused(
      'unknown_key',
      `it is signed with ${signatures.map(({ key }) => `"${key.slice(0, 40)}"`).join(', ')}, and Playhead trusts no such key`,
    )
  const bytes = Buffer.from(signed)
  const isGood = known.some(({ key, signature }) => {
    const given = Buffer.from(signature, 'base64')
    // Base64 that is not canonical is refused, too.
    if (given.length !== SIGNATURE_BYTES || given.toString('base64') !== signature) return false
    const jwk = { kty: 'OKP', crv: 'Ed25519', x: keys[key] as string }
    return verify(null, bytes, createPublicKey({ key: jwk, format: 'jwk' }), given)
  })
  if (!isGood) throw refused('signature', 'its signature does not belong to what it says')
}

/** Depth and names, before a schema sees the value. */
function checkShape(value: unknown, depth: number): void {
  if (typeof value !== 'object' || value === null) return
  if (depth > MAX_DEPTH) throw refused('invalid', `it is nested deeper than ${MAX_DEPTH} levels`)
  for (const [name, inner] of Object.entries(value)) {
    if (PROTOTYPE_KEYS.includes(name)) throw refused('invalid', `it has a member named ${name}`)
    checkShape(inner, depth + 1)
  }
}

function checkDates({ date }: Pick<Catalogue, 'date'>, nowMs: number): void {
  const atMs = Date.parse(date)
  if (Number.isNaN(atMs) || new Date(atMs).toISOString().slice(0, 19) !== date.slice(0, 19))
    throw refused('date', `there is no date ${date}`)
  if (atMs < FIRST_MS) throw refused('date', `its date is ${date}, before there were lists`)
  if (atMs > nowMs + AHEAD_MS) throw refused('date', `its date is ${date}, which is still to come`)
}

function checkEntry({ id, builtIn, versions }: CatalogueEntry, day: string): void {
  const days = versions.flatMap(({ date, withdrawn, conformance }) =>
    [date, withdrawn?.date, conformance?.date].filter((one) => one !== undefined),
  )
  for (const one of days) {
    if (Number.isNaN(Date.parse(one)) || new Date(one).toISOString().slice(0, 10) !== one)
      throw refused('date', `${id} has the date ${one}, which there is not`)
    if (one > day) throw refused('date', `${id} has the date ${one}, after that of the list`)
  }
  versions.forEach((version, at) => {
    const before = versions[at - 1]
    if (before !== undefined && compare(before.version, version.version) <= 0)
      throw refused(
        'invalid',
        before.version === version.version
          ? `${id} has ${version.version} twice`
          : `${id} has ${version.version} after ${before.version}; the newest comes first`,
      )
    checkVersion(id, builtIn, version)
  })
}

function checkVersion(id: string, builtIn: boolean, { version, api, asks, archive, conformance }: CatalogueVersion) {
  const what = `${id} ${version}`
  if (validRange(api) === null) throw refused('invalid', `${what} needs the SDK "${api}", which is not a range`)
  if (builtIn && archive !== null) throw refused('invalid', `${what} is built in and has an archive`)
  if (!builtIn && archive === null) throw refused('invalid', `${what} has no archive`)
  const host = asks.find((ask) => ask.startsWith('host ') && !HOST_ASK.test(ask))
  if (host !== undefined) throw refused('invalid', `${what} asks for "${host}", which names no host`)
  if (conformance !== null && conformance.points > conformance.possible)
    throw refused('invalid', `${what} has ${conformance.points} points of ${conformance.possible}`)
}

function textOf(file: Uint8Array): string {
  try {
    return new TextDecoder('utf-8', { fatal: true }).decode(file)
  } catch {
    throw refused('invalid', 'the file is not UTF-8')
  }
}

function parse(text: string, what: string): unknown {
  try {
    return JSON.parse(text)
  } catch {
    throw refused('invalid', `${what} is not JSON`)
  }
}

function reasonOf(schema: TSchema, value: unknown, what: string): string {
  const { path = '', message = 'is not usable' } = Value.Errors(schema, value).First() ?? {}
  return `${what}${path.replaceAll('/', ' ')}: ${message.toLowerCase()}`
}

export function refused(reason: string, why: string): PlayheadError {
  return new PlayheadError('PLH_INVALID', `The list was refused: ${why}.`, { wire: `catalogue_${reason}` })
}
