// Errors of single fields, from a 400 `validation_failed`.
import { isApiError } from '../../api/error.ts'
import { scrobbling } from '../../texts/en/scrobbling.ts'

export type FieldErrors = Readonly<Record<string, string>>

/** Form fields that have another name in the request. */
const NAMES: Readonly<Record<string, string>> = {
  sinks: 'sink_instance',
  sink: 'sink_instance',
  provider: 'provider_instance',
}

/**
 * By the last segment of the field: `watched_at` for `options.scrobble.watched_at`. Empty for any other error.
 * @param shown fields of the form; other fields are under `other`
 */
export function fieldErrors(error: unknown, shown: readonly string[]): FieldErrors {
  if (!isApiError(error, 400)) return {}
  const { errors } = error.body as { readonly errors?: unknown }
  if (!Array.isArray(errors)) return {}
  const all = errors as readonly { readonly field: string; readonly code: string; readonly message: string }[]
  const found: Record<string, string> = {}
  for (const { field, code, message } of all) {
    const [first = '', ...rest] = field.split('.')
    const last = first === 'sink_instances' ? 'sink_instance' : (rest.at(-1) ?? first)
    const name = NAMES[last] ?? last
    const key = shown.includes(name) ? name : 'other'
    found[key] = [found[key], code === 'duplicate_route' ? scrobbling.form.duplicate : readable(field, message)]
      .filter((text) => text !== undefined)
      .join(' ')
  }
  return found
}

/** Replaces the request name of the field in a message. */
function readable(field: string, message: string): string {
  return message.startsWith(`${field} `) ? `${scrobbling.form.field}${message.slice(field.length)}` : message
}
