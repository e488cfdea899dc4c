// What a person typed into the fields of a sign-in.
import { isMasked } from '../secrets.ts'

/**
 * The fields of a body that were filled in, without the spaces around them. Masked and empty ones are left out: they
 * mean what is stored.
 *
 * @example const entered = typedIn(request.body, ['client_id', 'client_secret']) if (Object.keys(entered).length > 0)
 * await kit.account(instance).save(entered)
 */
export function typedIn<Name extends string>(
  body: unknown,
  names: readonly Name[],
): { readonly [name in Name]?: string } {
  const given = (body ?? {}) as Readonly<Record<string, unknown>>
  return Object.fromEntries(
    names.flatMap((name) => {
      const value = given[name]
      return typeof value !== 'string' || value.trim() === '' || isMasked(value) ? [] : [[name, value.trim()]]
    }),
  ) as { readonly [name in Name]?: string }
}
