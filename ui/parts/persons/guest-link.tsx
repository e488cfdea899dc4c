// A link with which a person signs in at one service: made in a dialog, shown once.
import { Alert, Button, Group, Modal, Select, Stack, Text, TextInput } from '@mantine/core'
import { useQueryClient } from '@tanstack/react-query'
import { useEffect, useRef, useState } from 'react'
import { api, type Answer, type Input } from '../../api/client.ts'
import { useRead } from '../../api/query.ts'
import { persons } from '../../texts/en/persons.ts'
import { say } from '../../texts/say.ts'
import { DialogButtons } from '../dialogs/dialog-buttons.tsx'
import { Failure } from '../page/failure.tsx'
import { Loading } from '../page/loading.tsx'
import { Copy } from '../values/copy.tsx'
import { exactTime } from '../values/time-text.tsx'

const { link: texts } = persons
const KEY = ['persons', 'links']
const POLL_MS = 10_000

type Made = Answer<'POST /api/sign-in-links'>
type Order = Omit<Input<'POST /api/sign-in-links'>['body'], 'provider'>

export interface GuestLinkTarget extends Order {
  /** Who signs in. */
  readonly shownName: string
  /** The service; without it the dialog asks. */
  readonly provider?: string
}

/** The links that are still open, and the services that have them. */
export function useGuestLinks() {
  return useRead(KEY, 'GET /api/sign-in-links', undefined, {
    refetchInterval: ({ state }) =>
      state.data?.links.some(({ state: one }) => one !== 'done') === true ? POLL_MS : false,
  })
}

/** `target: null` closes the dialog. */
export function GuestLinkDialog({
  target,
  onHere,
  onClose,
}: {
  readonly target: GuestLinkTarget | null
  /** Instead, the person signs in on this device. */
  readonly onHere?: () => void
  readonly onClose: () => void
}) {
  return (
    <Modal
      opened={target !== null}
      onClose={onClose}
      size="lg"
      title={target === null ? '' : say(texts.title, { name: target.shownName })}
    >
      {target === null ? null : <Content target={target} onHere={onHere} onClose={onClose} />}
    </Modal>
  )
}

function Content({
  target,
  onHere,
  onClose,
}: {
  readonly target: GuestLinkTarget
  readonly onHere: (() => void) | undefined
  readonly onClose: () => void
}) {
  const { shownName: name, provider: given, ...order } = target
  const client = useQueryClient()
  const { data } = useGuestLinks()
  const [chosen, setChosen] = useState<string | null>(given ?? null)
  const [made, setMade] = useState<Made | null>(null)
  const [error, setError] = useState<unknown>(null)
  const [isBusy, setBusy] = useState(false)
  const isAsked = useRef(false)

  async function make(provider: string) {
    setBusy(true)
    setError(null)
    try {
      setMade(await api('POST /api/sign-in-links', { body: { ...order, provider } }))
      await client.invalidateQueries({ queryKey: ['persons'] })
    } catch (failure) {
      setError(failure)
    }
    setBusy(false)
  }

  // The press that named the service asked for the link.
  // biome-ignore lint/correctness/useExhaustiveDependencies: once for each dialog
  useEffect(() => {
    if (given === undefined || isAsked.current) return
    isAsked.current = true
    void make(given)
  }, [])

  const here =
    onHere === undefined ? null : (
      <Button variant="subtle" onClick={onHere}>
        {texts.here}
      </Button>
    )
  if (made !== null) {
    const time = exactTime(made.link.expires_at * 1_000)
    return (
      <Stack>
        <Text>{say(texts.text, { name, service: made.link.label, time })}</Text>
        <Group gap="xs" align="flex-end">
          <TextInput
            readOnly
            label={texts.address}
            value={made.url}
            style={{ flex: '1 1 14rem' }}
            onFocus={(event) => event.currentTarget.select()}
          />
          <Copy text={made.url} />
        </Group>
        <Text size="sm" c="dimmed">
          {texts.once}
        </Text>
        <Group justify="space-between">
          {here ?? <span />}
          <Button onClick={onClose}>{texts.done}</Button>
        </Group>
      </Stack>
    )
  }
  const services = data?.services ?? []
  return (
    <Stack>
      {error === null ? null : <Failure error={error} />}
      {given !== undefined ? (
        error === null ? (
          <Loading rows={2} />
        ) : (
          <Group>{here}</Group>
        )
      ) : data !== undefined && services.length === 0 ? (
        <Alert role="status">{texts.none}</Alert>
      ) : (
        <Select
          label={texts.service}
          data={services.map(({ provider, label }) => ({ value: provider, label }))}
          value={chosen}
          onChange={setChosen}
          data-autofocus
        />
      )}
      {given !== undefined ? null : (
        <DialogButtons onCancel={onClose}>
          <Button disabled={chosen === null} loading={isBusy} onClick={() => chosen !== null && void make(chosen)}>
            {texts.make}
          </Button>
        </DialogButtons>
      )}
    </Stack>
  )
}
