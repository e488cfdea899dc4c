// The fields of a sign-in method, from its schema.

export interface Field {
  readonly name: string
  readonly title: string
  readonly description: string | null
  readonly type: 'string' | 'number' | 'boolean'
  readonly isSecret: boolean
  readonly isRequired: boolean
  readonly example: string | null
}

export type Values = Readonly<Record<string, string | number | boolean>>

interface Property {
  readonly type?: string
  readonly title?: string
  readonly description?: string
  readonly format?: string
  readonly examples?: readonly unknown[]
  readonly readOnly?: boolean
}

/** A single field is always required, because an empty form has no effect. */
export function fieldsOf(form: Readonly<Record<string, unknown>> | null): readonly Field[] {
  const properties = (form?.['properties'] ?? {}) as Readonly<Record<string, Property>>
  const required = (form?.['required'] ?? []) as readonly string[]
  const shown = Object.entries(properties).filter(([, { readOnly }]) => readOnly !== true)
  return shown.map(([name, { type, title = name, description, format, examples }]) => ({
    name,
    title,
    description: description ?? null,
    type: type === 'boolean' ? 'boolean' : type === 'number' || type === 'integer' ? 'number' : 'string',
    isSecret: format === 'password',
    isRequired: required.includes(name) || (shown.length === 1 && type !== 'boolean'),
    example: examples?.[0] === undefined ? null : String(examples[0]),
  }))
}
