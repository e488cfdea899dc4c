// The persons of the household, the person of a list, and the question before accounts of several persons are changed at once.
import { useMutation, useQueryClient, type QueryKey } from '@tanstack/react-query'
import { api, type Answer, type Input, type Operation } from '../../api/client.ts'
import { type ApiError, isApiError } from '../../api/error.ts'
import { useRead } from '../../api/query.ts'
import { persons as texts } from '../../texts/en/persons.ts'
import { locale } from '../../texts/language.ts'
import { say } from '../../texts/say.ts'
import { confirm } from '../dialogs/confirm.ts'

export type Household = Answer<'GET /api/persons'>
export type Person = Household['persons'][number]

const FRESH_MS = 60_000
const LIST = new Intl.ListFormat(locale, { type: 'conjunction' })

export const namesText = (names: readonly string[]): string => LIST.format(names)

export function usePersons(enabled = true) {
  return useRead(['persons'], 'GET /api/persons', undefined, { enabled, staleTime: FRESH_MS })
}

/** The person of a list, from its address. One who was removed meanwhile counts as none. */
export function useKnownPerson(id: string | null): string | undefined {
  const { data } = usePersons(id !== null)
  return id === null || (data !== undefined && !data.persons.some((one) => one.id === id)) ? undefined : id
}

/** The owners of these accounts, each once. */
export function ownersIn(
  persons: readonly Person[],
  accounts: readonly { readonly provider: string; readonly instance: string }[],
): readonly Person[] {
  return persons.filter((person) =>
    person.accounts.some((own) =>
      accounts.some(({ provider, instance }) => own.provider === provider && own.instance === (instance || 'default')),
    ),
  )
}

/**
 * Sends a request. If it crosses persons, asks with their names and sends it again, confirmed. Undefined: declined.
 *
 * @example await acrossPersons((confirmed) => api('POST /api/pairs', { body: { ...body, ...confirmed } }))
 */
export async function acrossPersons<Result>(
  send: (confirmed: { readonly across_persons?: true }) => Promise<Result>,
): Promise<Result | undefined> {
  try {
    return await send({})
  } catch (error) {
    if (!isApiError(error) || error.code !== 'crosses_persons') throw error
    const names = namesText((error.body as { readonly persons?: readonly string[] }).persons ?? [])
    const { title, text, action } = texts.crossing
    const isMeant = await confirm({
      title: say(title, { names }),
      text: say(text, { names }),
      action: say(action, { names }),
    })
    return isMeant ? send({ across_persons: true }) : undefined
  }
}

/** `useChange` for a change that may cross persons. A declined one leaves no error. */
export function useChangeAcross<Key extends Extract<Operation, `POST ${string}`>>(
  operation: Key,
  { refresh = [], onDone }: { refresh?: readonly QueryKey[]; onDone?: (answer: Answer<Key>) => void } = {},
) {
  const client = useQueryClient()
  return useMutation<Answer<Key> | undefined, ApiError, Omit<Input<Key>, 'signal'> & { readonly body: object }>({
    mutationFn: (input) =>
      acrossPersons((confirmed) =>
        (api as (operation: Key, input: object) => Promise<Answer<Key>>)(operation, {
          ...input,
          body: { ...input.body, ...confirmed },
        }),
      ),
    onSuccess: async (answer) => {
      if (answer === undefined) return
      onDone?.(answer)
      await Promise.all(refresh.map((queryKey) => client.invalidateQueries({ queryKey })))
    },
  })
}

export const savePerson = (
  id: string | null,
  body: { readonly name?: string; readonly color?: Person['color']; readonly accounts?: string[] },
) =>
  id === null
    ? api('POST /api/persons', { body: { name: '', ...body } })
    : api('PUT /api/persons/{id}', { params: { id }, body })
