// Errors of single fields: by the schema of their setting, and for accounts that cannot be used.
import { accountLabel, PlayheadError, type ProviderDescription, readNumber, type TSchema } from '@playhead/sdk'
import { isRecord } from '@playhead/sdk/items'
import { FilterSettings, MAX_LIST, MAX_TEXT } from '../settings.ts'
import { FILTER_NAMES, readList } from './forms.ts'
import { findAccount, findProvider, type World } from './providers.ts'

export interface FieldError {
  /** `options.ratings.mode` */
  readonly field: string
  readonly code: string
  /** A sentence for the person. */
  readonly message: string
}

export function fieldError(field: string, code: string, message: string): FieldError {
  return { field, code, message }
}

/** 400 `validation_failed` with all field errors. */
export function refuse(errors: readonly FieldError[], status = 400): PlayheadError {
  return new PlayheadError('PLH_INVALID', errors.map(({ message }) => message).join(' '), {
    wire: 'validation_failed',
    status,
    details: { errors },
  })
}

export function unknownRoute(id: string): PlayheadError {
  const message = `There is no route ${JSON.stringify(id.slice(0, 80))}.`
  return refuse([fieldError('id', 'route_not_found', message)], 404)
}

/** The errors of a value by the schema of its setting. A number without a default is inherited if it is null. */
export function checkValue(field: string, schema: TSchema, value: unknown): FieldError[] {
  const {
    type,
    properties,
    enum: choices,
  } = schema as { type?: string; properties?: Record<string, TSchema>; enum?: string[] }
  const error = (code: string, must: string) => [fieldError(field, code, `${field} ${must}.`)]
  if (value === undefined) return []
  if (choices !== undefined)
    return choices.includes(value as string) ? [] : error('invalid_choice', `is one of ${choices.join(', ')}`)
  if (type === 'boolean') return typeof value === 'boolean' ? [] : error('invalid_boolean', 'must be true or false')
  if (type === 'number' || type === 'integer') return checkNumber(field, schema, value)
  if (type === 'array') return readList(value ?? []) === undefined ? error('invalid_structure', 'must be a list') : []
  if (properties === undefined) return []
  if (!isRecord(value)) return error('invalid_structure', 'must be an object')
  const unknown = Object.keys(value).filter((name) => !Object.hasOwn(properties, name))
  return [
    ...unknown
      .map((name) => `${field}.${name.slice(0, 80)}`)
      .map((at) => fieldError(at, 'unsupported_setting', `${at} is no setting.`)),
    ...Object.entries(properties).flatMap(([name, one]) => checkValue(`${field}.${name}`, one, value[name])),
  ]
}

function checkNumber(
  field: string,
  { type, minimum, maximum, default: fallback }: TSchema,
  value: unknown,
): FieldError[] {
  if (value === null && fallback === undefined) return []
  const number = readNumber(value)
  if (number === undefined || (type === 'integer' && !Number.isInteger(number)))
    return [
      fieldError(field, 'invalid_number', `${field} must be ${type === 'integer' ? 'a whole number' : 'a number'}.`),
    ]
  return number >= minimum && number <= maximum
    ? []
    : [fieldError(field, 'invalid_range', `${field} must be between ${minimum} and ${maximum}.`)]
}

/** @param can the ability that the provider needs */
export function checkProvider(
  world: World,
  field: string,
  id: string,
  can: (description: ProviderDescription) => boolean,
  cannot: string,
): FieldError[] {
  const found = findProvider(world, id)
  return found !== undefined && can(found)
    ? []
    : [fieldError(field, 'unsupported_provider', `${id.slice(0, 80)} ${cannot}.`)]
}

/** The account exists and can be used. */
export function checkAccount(world: World, field: string, provider: string, instance: string): FieldError[] {
  const account = findAccount(world, provider, instance)
  const label = findProvider(world, provider)?.label ?? provider
  if (account === undefined)
    return [fieldError(field, 'profile_not_found', `${label} has no profile ${JSON.stringify(instance.slice(0, 80))}.`)]
  if (account.configured) return []
  return [
    fieldError(field, 'profile_not_configured', `${accountLabel(label, instance, account.label)} is not connected.`),
  ]
}

export function checkFilters(sent: unknown): FieldError[] {
  if (sent === undefined) return []
  return isRecord(sent)
    ? Object.entries(sent).flatMap(([name, value]) => checkFilter(name, value))
    : [fieldError('filters', 'invalid_filter_structure', 'filters must be an object.')]
}

function checkFilter(name: string, value: unknown): FieldError[] {
  const { properties } = FilterSettings
  const key = Object.hasOwn(FILTER_NAMES, name) ? (FILTER_NAMES[name] as string) : name
  if (!Object.hasOwn(properties, key))
    return [fieldError('filters', 'invalid_filter_key', `${JSON.stringify(name.slice(0, 80))} is no filter.`)]
  const schema = properties[key as keyof FilterSettings]
  const at = `filters.${name}`
  if (value === null) return []
  if (schema.type !== 'array' && schema.type !== 'string') return checkValue(at, schema, value)
  const list = schema.type === 'array' ? readList(value) : typeof value === 'string' ? [value] : undefined
  if (list === undefined) {
    const kind = schema.type === 'array' ? 'a list of texts' : 'a text'
    return [fieldError(at, 'invalid_filter_structure', `${at} must be ${kind}.`)]
  }
  if (list.length <= MAX_LIST && list.every((text) => text.length <= MAX_TEXT)) return []
  return [fieldError(at, 'invalid_range', `${at} takes at most ${MAX_LIST} texts of at most ${MAX_TEXT} characters.`)]
}
