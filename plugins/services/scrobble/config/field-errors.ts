// Errors of single fields, and validation shared by the routes.
import { accountLabel, PlayheadError } from '@playhead/sdk'
import { isRecord } from '@playhead/sdk/items'
import { FilterSettings, MAX_LIST, MAX_TEXT, type NumberName, RANGES, WHOLE } from '../settings.ts'
import { filterName, readFilters } from './normalize.ts'
import { findAccount, findProvider, type World } from './providers.ts'
import { readList, readNumber } from './read.ts'

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

/** @param inherit null stands for the inherited value */
export function checkNumber(field: string, name: NumberName, value: unknown, inherit = false): FieldError[] {
  if (value === undefined || (inherit && value === null)) return []
  const number = readNumber(value)
  const [least, most] = RANGES[name]
  if (number === undefined || (WHOLE.has(name) && !Number.isInteger(number))) {
    const kind = WHOLE.has(name) ? 'a whole number' : 'a number'
    return [fieldError(field, 'invalid_number', `${field} must be ${kind}.`)]
  }
  if (number >= least && number <= most) return []
  return [fieldError(field, 'invalid_range', `${field} must be between ${least} and ${most}.`)]
}

export function checkFlag(field: string, value: unknown): FieldError[] {
  if (value === undefined || typeof value === 'boolean') return []
  return [fieldError(field, 'invalid_boolean', `${field} must be true or false.`)]
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

/** The filters, or their errors. */
export function readFilterInput(
  sent: unknown,
  field = 'filters',
): { readonly filters: FilterSettings; readonly errors: readonly FieldError[] } {
  if (!isRecord(sent)) {
    return { filters: {}, errors: [fieldError(field, 'invalid_filter_structure', `${field} must be an object.`)] }
  }
  const errors = Object.entries(sent).flatMap(([name, value]) => checkFilter(field, name, value))
  return { filters: errors.length > 0 ? {} : readFilters(sent), errors }
}

function checkFilter(field: string, name: string, value: unknown): FieldError[] {
  const key = filterName(name)
  const schema = Object.hasOwn(FilterSettings.properties, key)
    ? FilterSettings.properties[key as keyof FilterSettings]
    : undefined
  if (schema === undefined)
    return [fieldError(field, 'invalid_filter_key', `${JSON.stringify(name.slice(0, 80))} is no filter.`)]
  if (value === null || value === undefined) return []
  const at = `${field}.${name}`
  if (schema.type === 'boolean') return checkFlag(at, value)
  if (key === 'min_duration_seconds') return checkNumber(at, key, value)
  const list = schema.type === 'array' ? readList(value) : typeof value === 'string' ? [value] : undefined
  if (list === undefined) {
    const kind = schema.type === 'array' ? 'a list of texts' : 'a text'
    return [fieldError(at, 'invalid_filter_structure', `${at} must be ${kind}.`)]
  }
  if (list.length <= MAX_LIST && list.every((text) => text.length <= MAX_TEXT)) return []
  return [fieldError(at, 'invalid_range', `${at} takes at most ${MAX_LIST} texts of at most ${MAX_TEXT} characters.`)]
}
