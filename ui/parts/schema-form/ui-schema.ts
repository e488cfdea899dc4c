// Adapts a JSON schema to the form library: password and word list widgets, and a type for choices between constants.
import { readable } from '../values/readable.ts'
import { serviceText } from '../../texts/service-text.ts'

interface Schema {
  readonly properties?: Readonly<Record<string, Schema>>
  readonly secret?: boolean
  readonly format?: string
  readonly writeOnly?: boolean
  readonly readOnly?: boolean
  readonly deprecated?: boolean
  readonly type?: unknown
  readonly items?: Schema & { readonly enum?: unknown }
  readonly additionalProperties?: unknown
  readonly anyOf?: readonly Schema[]
  readonly oneOf?: readonly Schema[]
  readonly const?: unknown
  readonly enum?: unknown
  readonly title?: unknown
  readonly description?: unknown
}

export function uiSchemaOf(schema: object): Record<string, unknown> {
  const { properties = {}, additionalProperties } = schema as Schema
  // Unread stored properties are not for users to extend.
  const unread = additionalProperties === true ? { 'ui:expandable': false } : {}
  const fields = Object.fromEntries(
    Object.entries(properties).flatMap(([name, property]) => {
      // The service maintains the property, or it has no effect, so hide it.
      if (property.readOnly === true || property.deprecated === true) return [[name, { 'ui:widget': 'hidden' }]]
      if (property.secret === true || property.writeOnly === true || property.format === 'password')
        return [[name, { 'ui:widget': 'password', 'ui:autocomplete': 'off' }]]
      if (property.type === 'array' && property.items?.type === 'string' && property.items.enum === undefined)
        return [[name, { 'ui:widget': 'words' }]]
      const inner = uiSchemaOf(property)
      return Object.keys(inner).length === 0 ? [] : [[name, inner]]
    }),
  )
  return { ...unread, ...fields }
}

/** The form library shows a choice between constants as a list only if the schema has their type. */
export function withChoiceTypes(schema: unknown): unknown {
  if (Array.isArray(schema)) return schema.map(withChoiceTypes)
  if (typeof schema !== 'object' || schema === null) return schema
  const { type, anyOf, oneOf } = schema as Schema
  const choices = anyOf ?? oneOf
  const types = new Set((choices ?? []).map((choice) => (choice.const === undefined ? '' : typeof choice.const)))
  const [only = ''] = types
  const known = type === undefined && types.size === 1 && only !== '' && only !== 'object' ? { type: only } : {}
  return {
    ...Object.fromEntries(
      Object.entries(schema).map(([name, value]) => [
        name,
        name === 'default' || name === 'const' || name === 'enum' ? value : withChoiceTypes(value),
      ]),
    ),
    ...known,
    ...named(schema as Schema),
  }
}

/** Titles in the language of the page. Choices without a title get one from their value: `source_deletes`. */
function named({ title, description, enum: values, const: value, type }: Schema): Record<string, unknown> {
  const shown = {
    ...(typeof title === 'string' ? { title: serviceText(title) } : {}),
    ...(typeof description === 'string' ? { description: serviceText(description) } : {}),
  }
  if (typeof value === 'string' && title === undefined) return { ...shown, title: serviceText(readable(value)) }
  if (!Array.isArray(values) || !values.every((one) => typeof one === 'string')) return shown
  return {
    ...shown,
    type: type ?? 'string',
    enum: undefined,
    oneOf: values.map((one) => ({ const: one, title: serviceText(readable(one)) })),
  }
}
