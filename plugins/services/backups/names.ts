// Names of archives, and archive paths in requests.
import { randomBytes } from 'node:crypto'
import { PlayheadError } from '@playhead/sdk'
import type { Scope } from './archive/manifest.ts'

const MAX_LABEL = 48
const MAX_PATH = 300

export function isImported(path: string): boolean {
  return path.startsWith('imported/')
}

/** `20261124T031500Z` */
function stampOf(atMs: number): string {
  return new Date(atMs).toISOString().slice(0, 19).replaceAll(/[-:]/g, '').concat('Z')
}

export function archiveName(atMs: number): string {
  return `${dayOf(atMs)}/playhead-backup-${stampOf(atMs)}-${randomBytes(6).toString('hex')}.zip`
}

export function importName(atMs: number): string {
  return `imported/${dayOf(atMs)}/playhead-import-${stampOf(atMs)}-${randomBytes(4).toString('hex')}.zip`
}

function dayOf(atMs: number): string {
  return new Date(atMs).toISOString().slice(0, 10)
}

/** Letters, digits, dots and dashes; `manual` if none remain. */
export function labelOf(text: string, fallback = 'manual'): string {
  const label = text
    .replaceAll(/[^A-Za-z0-9._ -]/g, '')
    .replaceAll(/\s+/g, '-')
    .slice(0, MAX_LABEL)
    .replaceAll(/^[-._ ]+|[-._ ]+$/g, '')
  return label === '' ? fallback : label
}

/** Fills `{scope} {date} {time} {datetime} {stamp}`, in UTC. */
export function labelFrom(template: string, scope: Scope, atMs: number): string {
  const iso = new Date(atMs).toISOString()
  const [date, time] = [iso.slice(0, 10), iso.slice(11, 16).replace(':', '')]
  const values: Readonly<Record<string, string>> = {
    scope,
    date,
    time,
    datetime: `${date}-${time}`,
    stamp: stampOf(atMs),
  }
  const text = template === '' ? 'scheduled-{scope}-{date}' : template
  return labelOf(
    text.replaceAll(/\{(scope|date|time|datetime|stamp)\}/g, (_all, name: string) => values[name] ?? ''),
    'scheduled',
  )
}

/** The path of an archive with forward slashes. Throws PLH_INVALID (`invalid_path`). */
export function archivePath(given: string): string {
  const path = given.replaceAll('\\', '/')
  const parts = path.split('/')
  const isFine =
    path.length <= MAX_PATH &&
    path.endsWith('.zip') &&
    !path.startsWith('/') &&
    !/^[A-Za-z]:/.test(path) &&
    !path.includes('\0') &&
    parts.every((part) => part !== '' && part !== '.' && part !== '..')
  if (isFine) return path
  throw new PlayheadError('PLH_INVALID', 'Send the path of a backup, as in the list.', { wire: 'invalid_path' })
}

export function notFound(): PlayheadError {
  return new PlayheadError('PLH_NOT_FOUND', 'This backup does not exist.', { wire: 'backup_not_found' })
}
