// Names of capture files, labels, and paths that requests may use.
import { type CaptureJob, DEFAULT_PROFILE, PlayheadError } from '@playhead/sdk'
import { randomBytes } from 'node:crypto'
import type { CaptureHeader } from './contract.ts'

export const SUFFIX = '.ndjson.gz'
const OLD_SUFFIX = '.json'
const MAX_LABEL = 60
const MAX_PATH = 400
const FALLBACK = 'capture'
const DEFAULT_TEMPLATE = 'auto-{provider}-{feature}-{date}'

/** `20260601T123000Z` */
export function stampOf(ms: number): string {
  return new Date(ms).toISOString().replace(/\.\d+/, '').replaceAll(/[-:]/g, '')
}

/** Seconds are the finest unit of a capture's time. */
export function isoOf(ms: number): string {
  return new Date(Math.floor(ms / 1_000) * 1_000).toISOString().replace('.000Z', 'Z')
}

export function cleanLabel(text: string): string {
  const label = text
    .replaceAll(/[^A-Za-z0-9._ -]/g, '')
    .replaceAll(/ +/g, ' ')
    .trim()
    .slice(0, MAX_LABEL)
    .trim()
  return label === '' ? FALLBACK : label
}

/** A new path in the folder of the day. Random digits keep captures of one second apart. */
export function newPath(
  header: Pick<CaptureHeader, 'provider' | 'instance' | 'feature' | 'label'>,
  atMs: number,
): string {
  const plain = (text: string) => text.replaceAll(/[^A-Za-z0-9._-]/g, '').replaceAll(/_{2,}/g, '_') || DEFAULT_PROFILE
  const name = [
    stampOf(atMs),
    plain(header.provider),
    plain(header.instance),
    header.feature,
    plain(header.label.replaceAll(' ', '_')),
    randomBytes(4).toString('hex'),
  ].join('__')
  return `${new Date(atMs).toISOString().slice(0, 10)}/${name}${SUFFIX}`
}

export function isCaptureName(name: string): boolean {
  return !name.startsWith('.') && (name.endsWith(SUFFIX) || name.endsWith(OLD_SUFFIX))
}

/**
 * The requested path, relative to the folder of captures. Throws `PLH_INVALID` (`invalid_capture_path`) for an impossible
 * path; does not check whether the file exists.
 */
export function readPath(text: unknown): string {
  const path = typeof text === 'string' ? text.replaceAll('\\', '/') : ''
  const parts = path.split('/')
  const isWrong =
    path.length > MAX_PATH ||
    /[\u0000-\u001f:]/.test(path) ||
    parts.some((part) => part === '' || part === '.' || part === '..') ||
    !isCaptureName(parts.at(-1)!)
  if (!isWrong) return path
  throw new PlayheadError('PLH_INVALID', 'Send the path of a capture, as in the list of captures.', {
    wire: 'invalid_capture_path',
  })
}

interface LabelOf {
  readonly provider: string
  readonly instance: string
  readonly feature: string
}

/** The label of a scheduled capture. A template with unknown or unbalanced fields is used unchanged. */
export function scheduledLabel(
  { label_template: given }: Pick<CaptureJob, 'label_template'>,
  of: LabelOf,
  atMs: number,
): string {
  const template = given.trim() === '' ? DEFAULT_TEMPLATE : given
  const stamp = stampOf(atMs)
  const [date, time] = [stamp.slice(0, 8), stamp.slice(9, 15)]
  const fields: Readonly<Record<string, string>> = {
    provider: of.provider,
    provider_lower: of.provider.toLowerCase(),
    instance: of.instance,
    feature: of.feature,
    date: `${date.slice(0, 4)}-${date.slice(4, 6)}-${date.slice(6)}`,
    time,
    datetime: `${date}-${time}`,
    stamp,
  }
  const isKnown = [...template.matchAll(/\{([^{}]*)\}/g)].every(([, name]) => Object.hasOwn(fields, name!))
  const isBalanced = !/[{}]/.test(template.replaceAll(/\{[^{}]*\}/g, ''))
  return cleanLabel(
    isKnown && isBalanced ? template.replaceAll(/\{([^{}]*)\}/g, (_all, name: string) => fields[name]!) : template,
  )
}
