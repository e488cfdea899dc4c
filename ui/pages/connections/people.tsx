// The users of a service, and the users that the profile uses.
import { Badge, Button, Group, PasswordInput, Stack, Text } from '@mantine/core'
import { useMutation, useQuery, useQueryClient } from '@tanstack/react-query'
import { useState } from 'react'
import type { ApiError } from '../../api/error.ts'
import { notifyDone, notifyFailure } from '../../parts/dialogs/notify.ts'
import { QueryView } from '../../parts/page/query-view.tsx'
import { callOperation, reasonText } from '../../parts/sign-in/call.ts'
import type { Manifest } from '../../parts/sign-in/manifests.ts'
import { connections } from '../../texts/en/connections.ts'
import { say } from '../../texts/say.ts'
import type { Profile } from './use-connections.ts'

type Users = NonNullable<Manifest['users']>
type Person = Readonly<Record<string, unknown>>
interface Choice {
  readonly person: Person
  /** The PIN or password of a protected user. */
  readonly secret: string
}

const texts = connections.people

export function People({
  users,
  provider,
  profile,
}: {
  readonly users: Users
  readonly provider: string
  readonly profile: Profile
}) {
  const client = useQueryClient()
  const query = useQuery<readonly Person[], ApiError>({
    queryKey: ['connections', 'people', provider, profile.id],
    queryFn: async ({ signal }) => {
      const rows = (await callOperation(users.list, profile.id, {}, signal))[users.rows]
      return Array.isArray(rows) ? (rows as Person[]) : []
    },
    staleTime: 60_000,
  })
  const choose = useMutation({
    mutationFn: ({ person, secret }: Choice) =>
      callOperation(users.choose as NonNullable<Users['choose']>, profile.id, {
        [users.send]: person[users.id],
        ...(users.secret === undefined || secret === '' ? {} : { [users.secret.send]: secret }),
      }),
    onSuccess: async (_, { person }) => {
      notifyDone(say(texts.chosen, { name: String(person[users.label] ?? '') }))
      await client.invalidateQueries({ queryKey: ['connections'] })
    },
    onError: (error) => notifyFailure(new Error(reasonText(error))),
  })

  return (
    <QueryView
      query={query}
      rows={2}
      isEmpty={(rows) => rows.length === 0}
      empty={
        <Text size="sm" c="dimmed">
          {texts.none}
        </Text>
      }
    >
      {(rows) => (
        <Stack gap="xs">
          {users.choose === null ? (
            <Text size="sm" c="dimmed">
              {texts.hint}
            </Text>
          ) : null}
          {rows.map((person) => {
            const id = String(person[users.id] ?? '')
            const name = String(person[users.label] ?? id)
            const isCurrent =
              profile.user !== null &&
              (profile.user.id === id || (profile.user.id === '' && profile.user.name === name))
            const canChoose = users.choose !== null && (users.only === undefined || person[users.only] === true)
            const asks = users.secret !== undefined && person[users.secret.when] === true ? users.secret.label : null
            if (!isCurrent && canChoose)
              return (
                <SelectableUser
                  key={id}
                  name={name}
                  asks={asks}
                  isBusy={choose.isPending && choose.variables.person === person}
                  onChoose={(secret) => choose.mutate({ person, secret })}
                />
              )
            return (
              <Group key={id} justify="space-between" wrap="nowrap">
                <Text size="sm" truncate>
                  {name}
                </Text>
                {isCurrent ? (
                  <Badge variant="light" tt="none">
                    {texts.current}
                  </Badge>
                ) : null}
              </Group>
            )
          })}
        </Stack>
      )}
    </QueryView>
  )
}

function SelectableUser({
  name,
  asks,
  isBusy,
  onChoose,
}: {
  readonly name: string
  readonly asks: string | null
  readonly isBusy: boolean
  readonly onChoose: (secret: string) => void
}) {
  const [isAsking, setAsking] = useState(false)
  const [secret, setSecret] = useState('')
  const button = {
    size: 'compact-sm',
    variant: 'default',
    loading: isBusy,
    'aria-label': say(texts.chooseLabel, { name }),
  } as const
  if (asks === null || !isAsking) {
    return (
      <Group justify="space-between" wrap="nowrap">
        <Text size="sm" truncate>
          {name}
        </Text>
        <Button {...button} onClick={() => (asks === null ? onChoose('') : setAsking(true))}>
          {texts.choose}
        </Button>
      </Group>
    )
  }
  return (
    <form
      onSubmit={(event) => {
        event.preventDefault()
        onChoose(secret)
      }}
    >
      <Group justify="space-between" align="flex-end">
        <PasswordInput
          label={say(texts.secret, { label: asks, name })}
          size="xs"
          w={220}
          autoComplete="off"
          autoFocus
          value={secret}
          onChange={(event) => setSecret(event.currentTarget.value)}
        />
        <Button {...button} type="submit" disabled={secret === ''}>
          {texts.choose}
        </Button>
      </Group>
    </form>
  )
}
