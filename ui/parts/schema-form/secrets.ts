// Secrets in a schema are typed blindly.
interface Schema {
  readonly properties?: Readonly<Record<string, Schema>>
  readonly secret?: boolean
  readonly format?: string
  readonly writeOnly?: boolean
}

export function secretsIn(schema: object): Record<string, unknown> {
  return Object.fromEntries(Object.entries((schema as Schema).properties ?? {}).flatMap(([name, property]) => {
    if (property.secret === true || property.writeOnly === true || property.format === 'password') return [[name, { 'ui:widget': 'password', 'ui:autocomplete': 'off' }]]
    const inner = secretsIn(property)
    return Object.keys(inner).length === 0 ? [] : [[name, inner]]
  }))
}
