/** The fields of an object that have a value. */
export type Defined<Given> = {
  [Name in keyof Given as undefined extends Given[Name] ? never : Name]: Given[Name]
} & {
  [Name in keyof Given as undefined extends Given[Name] ? Name : never]?: Exclude<Given[Name], undefined>
}

/**
 * The object without the fields that are undefined.
 *
 * @example defined({ title: 'Alien', year: undefined }) // { title: 'Alien' }
 */
export function defined<const Given extends object>(given: Given): Defined<Given> {
  const kept: Record<string, unknown> = {}
  for (const [name, value] of Object.entries(given)) if (value !== undefined) kept[name] = value
  return kept as Defined<Given>
}
