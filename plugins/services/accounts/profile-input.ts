// Validates profile input: ids, labels, settings.
import { defined, isMasked, isSecretPath, type NewProfile, PlayheadError } from '@playhead/sdk'
import { isRecord } from '@playhead/sdk/items'

export type ProfileSettings = Readonly<Record<string, unknown>>

export interface NextInput {
  readonly copy_from?: string | null
  readonly template?: ProfileSettings | null
  readonly label?: string | null
  readonly include_credentials?: boolean
  readonly [setting: string]: unknown
}

const LABEL_LENGTH = 40
const POLLUTION = new Set(['__proto__', 'constructor', 'prototype'])

/**
 * Normalizes the id. Throws `PLH_INVALID`: `reserved_instance_id` for the default profile, `invalid_instance_id` for an
 * invalid one.
 */
export function readInstanceId(provider: string, text: string): string {
  const id = text.trim().toUpperCase()
  if (id === 'DEFAULT') {
    throw new PlayheadError('PLH_INVALID', 'The default account cannot be created or replaced here.', {
      wire: 'reserved_instance_id',
    })
  }
  const number = id.startsWith(`${provider}-P`) ? id.slice(provider.length + 2) : ''
  if (/^\d{2}$/.test(number) && number !== '00') return id
  throw new PlayheadError('PLH_INVALID', `IDs of other accounts are ${provider}-P01 to ${provider}-P99.`, {
    wire: 'invalid_instance_id',
  })
}

/** Reads the request for a new profile; `template` wins over `copy_from`, and settings may come without either. */
export function readNewProfile(input: NextInput | null): NewProfile {
  const { copy_from: copyFrom, template, label, include_credentials: includeCredentials, ...bare } = input ?? {}
  const settings = template ?? (isEmpty(bare) ? undefined : bare)
  const source = (copyFrom ?? '').trim()
  const name = readLabel(label ?? settings?.['label'])
  return {
    ...(settings !== undefined
      ? { settings: withoutMasks(readSettings(settings)) }
      : source === '' || source.toLowerCase() === 'default'
        ? {}
        : { copyFrom: source.toUpperCase() }),
    ...defined({ label: name }),
    ...(includeCredentials === true ? { includeCredentials } : {}),
  }
}

/** Trims the label. Throws `PLH_INVALID` (`invalid_key`) for forbidden keys. */
export function readSettings(settings: ProfileSettings): ProfileSettings {
  checkKeys(settings)
  if (Object.hasOwn(settings, 'instances')) throw invalidKey('instances')
  const label = readLabel(settings['label'])
  return label === undefined ? settings : { ...settings, label }
}

/** Throws `PLH_INVALID` (`invalid_label`) for a name that is too long; it is not truncated. */
export function readLabel(label: unknown): string | undefined {
  if (typeof label !== 'string') return undefined
  const name = label.trim().replace(/\s+/gu, ' ')
  if ([...name].length > LABEL_LENGTH)
    throw new PlayheadError('PLH_INVALID', `A name has at most ${LABEL_LENGTH} characters.`, {
      wire: 'invalid_label',
      details: { max_length: LABEL_LENGTH },
    })
  return name
}

function checkKeys(value: unknown): void {
  if (Array.isArray(value)) for (const item of value) checkKeys(item)
  if (!isRecord(value)) return
  for (const [key, item] of Object.entries(value)) {
    if (key.startsWith('_') || POLLUTION.has(key)) throw invalidKey(key)
    checkKeys(item)
  }
}

// A new profile has no stored secret for a mask to refer to.
function withoutMasks(settings: ProfileSettings, path: readonly string[] = []): ProfileSettings {
  return Object.fromEntries(
    Object.entries(settings).flatMap(([key, value]): [string, unknown][] => {
      if (isRecord(value)) return [[key, withoutMasks(value, [...path, key])]]
      return isSecretPath([...path, key]) && isMasked(value) ? [] : [[key, value]]
    }),
  )
}

function invalidKey(key: string): PlayheadError {
  const details = { key: key.slice(0, 64) }
  return new PlayheadError('PLH_INVALID', 'The settings contain a key that is not allowed.', {
    wire: 'invalid_key',
    details,
  })
}

function isEmpty(value: object): boolean {
  return Object.keys(value).length === 0
}
