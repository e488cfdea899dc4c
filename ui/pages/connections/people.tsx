// The users of a service: those that have an account, those that can get one, and the user of the profile.
import { Badge, Button, Group, PasswordInput, Stack, Text } from '@mantine/core'
import { useMutation, useQuery, useQueryClient } from '@tanstack/react-query'
import { useState } from 'react'
import { api, type Answer } from '../../api/client.ts'
import { isApiError } from '../../api/error.ts'
import { useChange, useRead } from '../../api/query.ts'
import { notifyDone, notifyFailure } from '../../parts/dialogs/notify.ts'
import { QueryView } from '../../parts/page/query-view.tsx'
import { callOperation, reasonText } from '../../parts/sign-in/call.ts'
import type { Manifest } from '../../parts/sign-in/manifests.ts'
import { GuestLinkDialog, type GuestLinkTarget, useGuestLinks } from '../../parts/persons/guest-link.tsx'
import { connections } from '../../texts/en/connections.ts'
import { say } from '../../texts/say.ts'
import type { SignInTarget } from './sign-in-dialog.tsx'
import type { Profile } from './use-connections.ts'

type Users = NonNullable<Manifest['users']>
type Person = Readonly<Record<string, unknown>>
type Row = Answer<'GET /api/connections/{provider}/{instance}/people'>['people'][number]
interface Choice {
  readonly person: Person
  /** The PIN or password of a protected user. */
  readonly secret: string
}

const texts = connections.people
const MAX_NAME = 40
const NO_ACCOUNT_FOR: ReadonlySet<string> = new Set(['user_changed', 'user_refused', 'own_sign_in'])

export function People({
  manifest,
  users,
  profile,
  onSignIn,
}: {
  readonly manifest: Manifest
  readonly users: Users
  readonly profile: Profile
  readonly onSignIn: (target: SignInTarget) => void
}) {
  const { name: provider, label, people: actsForOthers } = manifest
  const client = useQueryClient()
  const query = useQuery<readonly Person[], Error>({
    queryKey: ['connections', 'people', provider, profile.id],
    queryFn: async ({ signal }) => {
      const rows = (await callOperation(users.list, profile.id, {}, signal))[users.rows]
      return Array.isArray(rows) ? (rows as Person[]) : []
    },
    staleTime: 60_000,
  })
  const others = useRead(
    ['connections', 'others', provider, profile.id],
    'GET /api/connections/{provider}/{instance}/people',
    { params: { provider, instance: profile.id } },
    { enabled: actsForOthers, staleTime: 60_000 },
  )
  /** Users whom the server did not let this sign-in act for. */
  const [refused, setRefused] = useState<ReadonlySet<string>>(new Set())
  const refresh = () => client.invalidateQueries({ queryKey: ['connections'] })
  const choose = useMutation({
    mutationFn: ({ person, secret }: Choice) =>
      callOperation(users.choose as NonNullable<Users['choose']>, profile.id, {
        [users.send]: person[users.id],
        ...(users.secret === undefined || secret === '' ? {} : { [users.secret.send]: secret }),
      }),
    onSuccess: async (_, { person }) => {
      notifyDone(say(texts.chosen, { name: String(person[users.label] ?? '') }))
      await refresh()
    },
    onError: (error) => notifyFailure(new Error(reasonText(error))),
  })
  const add = useMutation({
    mutationFn: ({ row, secret }: { readonly row: Row; readonly secret: string }) =>
      api('POST /api/connections/{provider}/{instance}/people', {
        params: { provider, instance: profile.id },
        body: { id: row.id, ...(secret === '' ? {} : { secret }) },
      }),
    onSuccess: async (_, { row }) => {
      notifyDone(say(texts.added, { name: row.name }))
      // A new account affects most pages.
      await client.invalidateQueries()
    },
    onError: (error, { row }) => {
      notifyFailure(new Error(reasonText(error)))
      // With a secret, the secret may be wrong.
      if (row.secret === null && isApiError(error) && NO_ACCOUNT_FOR.has(error.code))
        setRefused((known) => new Set([...known, row.id]))
    },
  })
  const links = useGuestLinks()
  const [guest, setGuest] = useState<GuestLinkTarget | null>(null)
  const invite = useChange('POST /api/provider-instances/{provider}/next', { refresh: [['connections']] })

  async function letSignIn(person: string) {
    try {
      const { id } = await invite.mutateAsync({
        params: { provider },
        body: { label: [...person].slice(0, MAX_NAME).join('') },
      })
      onSignIn({ provider, label, instance: id, isNew: true, person })
    } catch (error) {
      notifyFailure(error)
    }
  }

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
          {actsForOthers ? (
            others.data?.reason == null ? null : (
              <Text size="sm" c="dimmed">
                {others.data.reason === 'no_rights' ? texts.noRights : others.data.message}
              </Text>
            )
          ) : users.choose === null ? (
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
            const row = others.data?.people.find((one) => one.id === id)
            const signsIn = row !== undefined && (row.state === 'own_sign_in' || refused.has(id))
            return (
              <Group key={id} justify="space-between" gap="xs">
                <Text size="sm" truncate miw={0}>
                  {name}
                </Text>
                <Group gap="xs" justify="flex-end">
                  {isCurrent ? <Mark text={texts.current} /> : null}
                  {!isCurrent && row?.state === 'account' ? <Mark text={texts.has} /> : null}
                  {!isCurrent && row?.state === 'disabled' ? <Mark text={texts.disabled} color="gray" /> : null}
                  {row?.state === 'available' && !signsIn && !isCurrent ? (
                    <WithSecret
                      text={texts.add}
                      label={say(texts.addLabel, { name })}
                      name={name}
                      asks={row.secret}
                      isBusy={add.isPending && add.variables.row.id === id}
                      onSend={(secret) => add.mutate({ row, secret })}
                    />
                  ) : null}
                  {signsIn && !isCurrent && !canChoose ? (
                    <Button
                      size="compact-sm"
                      variant="default"
                      loading={invite.isPending}
                      onClick={() =>
                        links.data?.services.some((one) => one.provider === provider) === true
                          ? setGuest({
                              shownName: name,
                              name: [...name].slice(0, MAX_NAME).join(''),
                              provider,
                              from: profile.id,
                            })
                          : void letSignIn(name)
                      }
                    >
                      {say(texts.invite, { name })}
                    </Button>
                  ) : null}
                  {!isCurrent && canChoose ? (
                    <WithSecret
                      text={texts.choose}
                      label={say(texts.chooseLabel, { name })}
                      name={name}
                      asks={asks}
                      isBusy={choose.isPending && choose.variables.person === person}
                      onSend={(secret) => choose.mutate({ person, secret })}
                    />
                  ) : null}
                </Group>
              </Group>
            )
          })}
          <GuestLinkDialog
            target={guest}
            onHere={() => {
              setGuest(null)
              if (guest !== null) void letSignIn(guest.shownName)
            }}
            onClose={() => setGuest(null)}
          />
        </Stack>
      )}
    </QueryView>
  )
}

function Mark({ text, color }: { readonly text: string; readonly color?: string }) {
  return (
    <Badge variant="light" tt="none" {...(color === undefined ? {} : { color })}>
      {text}
    </Badge>
  )
}

/** A button that first asks for a secret if there is one. */
function WithSecret({
  text,
  label,
  name,
  asks,
  isBusy,
  onSend,
}: {
  readonly text: string
  readonly label: string
  readonly name: string
  readonly asks: string | null
  readonly isBusy: boolean
  readonly onSend: (secret: string) => void
}) {
  const [isAsking, setAsking] = useState(false)
  const [secret, setSecret] = useState('')
  const button = { size: 'compact-sm', variant: 'default', loading: isBusy, 'aria-label': label } as const
  if (asks === null || !isAsking) {
    return (
      <Button {...button} onClick={() => (asks === null ? onSend('') : setAsking(true))}>
        {text}
      </Button>
    )
  }
  return (
    <form
      onSubmit={(event) => {
        event.preventDefault()
        onSend(secret)
      }}
    >
      <Group align="flex-end" gap="xs">
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
          {text}
        </Button>
      </Group>
    </form>
  )
}
