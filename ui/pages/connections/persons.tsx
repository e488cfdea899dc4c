// The people of the household: suggestions to apply, and each person with their accounts.
import {
  Badge,
  Button,
  Group,
  Modal,
  MultiSelect,
  Paper,
  Select,
  SimpleGrid,
  Stack,
  Text,
  TextInput,
  Title,
} from '@mantine/core'
import { IconLink, IconPlus } from '@tabler/icons-react'
import { useQueryClient } from '@tanstack/react-query'
import { useState } from 'react'
import { foldText } from '../../../sdk/items/text.ts'
import { api } from '../../api/client.ts'
import { confirm } from '../../parts/dialogs/confirm.ts'
import { notifyDone, notifyFailure } from '../../parts/dialogs/notify.ts'
import { Failure } from '../../parts/page/failure.tsx'
import { GuestLinkDialog, type GuestLinkTarget, useGuestLinks } from '../../parts/persons/guest-link.tsx'
import { Pending } from '../../parts/page/loading.tsx'
import { PersonMark } from '../../parts/persons/person-filter.tsx'
import { type Household, type Person, savePerson, usePersons } from '../../parts/persons/persons.ts'
import { exactTime } from '../../parts/values/time-text.tsx'
import { persons as texts } from '../../texts/en/persons.ts'
import { say } from '../../texts/say.ts'

type Account = Household['accounts'][number]
/** `null`: a new person. */
type Edited = Person | null | undefined

const COLUMNS = { base: 1, sm: 2, lg: 3 }
const MAX_NAME = 40
const LIST = { base: 1, md: 2 }

/** Renders nothing before a second account is connected. */
export function Persons() {
  const { data, error, refetch } = usePersons()
  const client = useQueryClient()
  const [edited, setEdited] = useState<Edited>(undefined)
  const [busy, setBusy] = useState<string | null>(null)
  const [invited, setInvited] = useState<GuestLinkTarget | null>(null)

  if (error !== null) return <Failure error={error} onRetry={() => void refetch()} />
  if (data === undefined) return <Pending />
  const { persons, accounts, suggestions } = data
  const all = [...persons.flatMap((one) => one.accounts), ...accounts]
  if (persons.length === 0 && all.length < 2) return null

  async function apply({ person, name, accounts: uids }: Household['suggestions'][number]) {
    setBusy(uids.join())
    const own = persons.find(({ id }) => id === person)?.accounts.map(({ uid }) => uid) ?? []
    try {
      await savePerson(person, { ...(person === null ? { name } : {}), accounts: [...own, ...uids] })
      notifyDone(say(texts.saved, { name }))
      await client.invalidateQueries()
    } catch (failure) {
      notifyFailure(failure)
    }
    setBusy(null)
  }

  return (
    <section aria-labelledby="persons">
      <Group justify="space-between" mb="sm" gap="xs">
        <Title order={2} size="h4" id="persons">
          {texts.title}
        </Title>
        <Button
          size="xs"
          variant="default"
          leftSection={<IconPlus size={14} aria-hidden />}
          onClick={() => setEdited(null)}
        >
          {texts.add}
        </Button>
      </Group>
      <Stack gap="sm">
        <Text size="sm" c="dimmed" maw="70ch">
          {texts.intro}
        </Text>
        {suggestions.length === 0 ? null : (
          <SimpleGrid cols={LIST}>
            {suggestions.map((one) => {
              const shown = one.accounts.flatMap((uid) => accounts.find((account) => account.uid === uid) ?? [])
              return (
                <Paper key={one.accounts.join()} withBorder p="sm">
                  <Group justify="space-between" gap="xs">
                    <div style={{ minWidth: 0, flex: '1 1 12rem' }}>
                      <Text size="sm" fw={600}>
                        {say(texts.suggestion, { name: one.name, accounts: shown.map(nameOf).join(', ') })}
                      </Text>
                      <Text size="xs" c="dimmed">
                        {texts.reasons[one.reason]}
                      </Text>
                    </div>
                    <Button
                      size="xs"
                      variant="light"
                      loading={busy === one.accounts.join()}
                      onClick={() => void apply(one)}
                    >
                      {say(one.person === null ? texts.applyNew : texts.apply, { name: one.name })}
                    </Button>
                  </Group>
                </Paper>
              )
            })}
          </SimpleGrid>
        )}
        {persons.length === 0 ? null : (
          <SimpleGrid cols={COLUMNS}>
            {persons.map((person) => (
              <Paper key={person.id} withBorder p="md" component="article" aria-label={person.name}>
                <Stack gap="xs">
                  <Group justify="space-between" wrap="nowrap" gap="xs">
                    <Group gap="xs" wrap="nowrap" miw={0}>
                      <PersonMark person={person} />
                      <Title order={3} size="h5" style={{ overflowWrap: 'anywhere' }}>
                        {person.name}
                      </Title>
                    </Group>
                    <Button
                      size="compact-sm"
                      variant="default"
                      aria-label={say(texts.edit, { name: person.name })}
                      onClick={() => setEdited(person)}
                    >
                      {texts.change}
                    </Button>
                  </Group>
                  <Group gap="xs">
                    {person.accounts.length === 0 ? (
                      <Text size="sm" c="dimmed">
                        {texts.none}
                      </Text>
                    ) : (
                      person.accounts.map((account) => (
                        <Badge key={account.uid} variant="light" color="gray" tt="none" fw={500}>
                          {nameOf(account)}
                        </Badge>
                      ))
                    )}
                  </Group>
                  <Button
                    size="compact-sm"
                    variant="subtle"
                    style={{ alignSelf: 'flex-start' }}
                    leftSection={<IconLink size={14} aria-hidden />}
                    aria-label={say(texts.link.label, { name: person.name })}
                    onClick={() => setInvited({ shownName: person.name, person: person.id })}
                  >
                    {texts.link.button}
                  </Button>
                </Stack>
              </Paper>
            ))}
          </SimpleGrid>
        )}
        {persons.length === 0 ? null : <Links persons={persons} />}
        {persons.length === 0 || accounts.length === 0 ? null : (
          <Text size="sm" c="dimmed">
            {say(texts.free, { n: accounts.length })}
          </Text>
        )}
      </Stack>
      <GuestLinkDialog target={invited} onClose={() => setInvited(null)} />
      <Modal
        opened={edited !== undefined}
        onClose={() => setEdited(undefined)}
        title={edited == null ? texts.add : say(texts.edit, { name: edited.name })}
      >
        {edited === undefined ? null : (
          <Form key={edited?.id ?? ''} person={edited} free={accounts} onClose={() => setEdited(undefined)} />
        )}
      </Modal>
    </section>
  )
}

/** The links of persons who have not signed in yet, and of those who just did. Each is of a person who exists. */
function Links({ persons }: { readonly persons: readonly Person[] }) {
  const { data } = useGuestLinks()
  const client = useQueryClient()
  if (data === undefined || data.links.length === 0) return null

  async function revoke(id: string, isDone: boolean) {
    try {
      await api('DELETE /api/sign-in-links/{id}', { params: { id } })
      if (!isDone) notifyDone(texts.links.revoked)
      await client.invalidateQueries({ queryKey: ['persons'] })
    } catch (failure) {
      notifyFailure(failure)
    }
  }

  return (
    <Stack gap="2xs" component="ul" aria-label={texts.links.title} p={0} m={0} style={{ listStyle: 'none' }}>
      {data.links.map(({ id, person, label: service, state, expires_at: endsAt }) => {
        const name = persons.find((one) => one.id === person)?.name ?? ''
        const isDone = state === 'done'
        return (
          <Group key={id} component="li" justify="space-between" gap="xs">
            <Text size="sm">
              {say(texts.links[state] as '{name}{service}{time}', { name, service, time: exactTime(endsAt * 1_000) })}
            </Text>
            <Button
              size="compact-sm"
              variant="default"
              aria-label={isDone ? texts.links.dismiss : say(texts.links.revokeLabel, { name, service })}
              onClick={() => void revoke(id, isDone)}
            >
              {isDone ? texts.links.dismiss : texts.links.revoke}
            </Button>
          </Group>
        )
      })}
    </Stack>
  )
}

function Form({
  person,
  free,
  onClose,
}: {
  readonly person: Person | null
  readonly free: readonly Account[]
  readonly onClose: () => void
}) {
  const client = useQueryClient()
  const [name, setName] = useState(person?.name ?? '')
  const [color, setColor] = useState<Person['color'] | null>(person?.color ?? null)
  const [accounts, setAccounts] = useState((person?.accounts ?? []).map(({ uid }) => uid))
  const [error, setError] = useState<unknown>(null)
  const [isBusy, setBusy] = useState(false)

  async function carryOut(work: () => Promise<unknown>, done: string) {
    setBusy(true)
    setError(null)
    try {
      await work()
      notifyDone(done)
      onClose()
      await client.invalidateQueries()
    } catch (failure) {
      setError(failure)
      setBusy(false)
    }
  }

  async function remove(gone: Person) {
    const { removeTitle, removeText, removed, remove: action } = texts
    if (!(await confirm({ title: say(removeTitle, { name: gone.name }), text: removeText, action }))) return
    await carryOut(
      () => api('DELETE /api/persons/{id}', { params: { id: gone.id } }),
      say(removed, { name: gone.name }),
    )
  }

  return (
    <form
      onSubmit={(event) => {
        event.preventDefault()
        const body = { name: name.trim(), accounts, ...(color === null ? {} : { color }) }
        void carryOut(() => savePerson(person?.id ?? null, body), say(texts.saved, { name: name.trim() }))
      }}
    >
      <Stack>
        {error === null ? null : <Failure error={error as Error} />}
        <TextInput
          label={texts.name}
          required
          maxLength={MAX_NAME}
          value={name}
          onChange={(event) => setName(event.currentTarget.value)}
          data-autofocus
        />
        <MultiSelect
          label={texts.accounts}
          data={[...(person?.accounts ?? []), ...free].map((one) => ({ value: one.uid, label: nameOf(one) }))}
          value={accounts}
          onChange={setAccounts}
        />
        <Select
          label={texts.color}
          data={Object.entries(texts.colors).map(([value, label]) => ({ value, label }))}
          value={color}
          onChange={(value) => setColor(value as Person['color'] | null)}
        />
        <Group justify="space-between">
          {person === null ? (
            <span />
          ) : (
            <Button variant="subtle" color="red" onClick={() => void remove(person)}>
              {texts.remove}
            </Button>
          )}
          <Group gap="xs">
            <Button variant="default" onClick={onClose}>
              {texts.cancel}
            </Button>
            <Button type="submit" loading={isBusy} disabled={name.trim() === ''}>
              {texts.save}
            </Button>
          </Group>
        </Group>
      </Stack>
    </form>
  )
}

function nameOf({ label, user }: Account): string {
  return user === null || foldText(label).includes(foldText(user)) ? label : say(texts.accountOf, { label, user })
}
