// How fields look that the form library would draw otherwise: secrets are typed blindly, lists of words are one field.
interface Schema {
  readonly properties?: Readonly<Record<string, Schema>>
  readonly secret?: boolean
  readonly format?: string
  readonly writeOnly?: boolean
  readonly type?: unknown
  readonly items?: Schema & { readonly enum?: unknown }
}

export function looksOf(schema: object): Record<string, unknown> {
  return Object.fromEntries(
    Object.entries((schema as Schema).properties ?? {}).flatMap(([name, property]) => {
      if (property.secret === true || property.writeOnly === true || property.format === 'password')
        return [[name, { 'ui:widget': 'password', 'ui:autocomplete': 'off' }]]
      if (property.type === 'array' && property.items?.type === 'string' && property.items.enum === undefined)
        return [[name, { 'ui:widget': 'words' }]]
      const inner = looksOf(property)
      return Object.keys(inner).length === 0 ? [] : [[name, inner]]
    }),
  )
}
