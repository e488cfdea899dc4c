// "Follow <media server account> for <tracker account>", live or by webhook.
import { Button, Group, Modal, Radio, Select, SimpleGrid, Stack, Text } from '@mantine/core'
import { useState } from 'react'
import { api } from '../../api/client.ts'
import { notifyDone, notifyFailure } from '../../parts/dialogs/notify.ts'
import { Failure } from '../../parts/page/failure.tsx'
import { Fold } from '../../parts/page/fold.tsx'
import { scrobbling } from '../../texts/en/scrobbling.ts'
import { say } from '../../texts/say.ts'
import { filtersOf, NEW_DRAFT, optionsOf } from './draft.ts'
import { fieldErrors, type FieldErrors } from './field-errors.ts'
import { OPTION_FIELDS, OptionsFields } from './options-fields.tsx'
import {
  accountName,
  useRefresh,
  useSave,
  waysOf,
  type Overview,
  type Sink,
  type Source,
  type Way,
} from './use-overview.ts'
import { WebhookAddress } from './webhook-address.tsx'

const { form: texts } = scrobbling
const FIELDS = ['provider_instance', 'sink_instance', ...OPTION_FIELDS]

interface Choice<Provider> {
  readonly value: string
  readonly label: string
  readonly provider: Provider
  readonly instance: string
}

/** The connected accounts, as choices. */
export function accountsOf<Provider extends Source | Sink>(
  providers: readonly Provider[],
): readonly Choice<Provider>[] {
  return providers.flatMap((provider) =>
    provider.profiles
      .filter(({ configured }) => configured)
      .map(({ instance, label }) => ({
        value: `${provider.provider} ${instance}`,
        label: accountName(provider.label, instance, label),
        provider,
        instance,
      })),
  )
}

/** Trackers that take ratings, as choices. */
export function ratersOf({ destination_availability: sinks }: Overview) {
  return sinks
    .filter((sink) => sink.takes_ratings && sink.profiles.some(({ configured }) => configured))
    .map(({ provider: value, label }) => ({ value, label }))
}

export function AddDialog({
  overview,
  opened,
  onClose,
}: {
  readonly overview: Overview
  readonly opened: boolean
  readonly onClose: () => void
}) {
  const [way, setWay] = useState<Way | null>(null)
  // The current state of the way: its address may have been replaced.
  const current = way === null ? undefined : waysOf(overview).find(({ key }) => key === way.key)
  const close = () => {
    setWay(null)
    onClose()
  }
  return (
    <Modal
      opened={opened}
      onClose={close}
      size="lg"
      title={current === undefined ? texts.title : say(texts.hookTitle, { source: current.sourceName })}
    >
      {!opened ? null : current?.webhook === undefined ? (
        <AddForm overview={overview} onClose={close} onAddress={setWay} />
      ) : (
        <Enter way={current} onClose={close} />
      )}
    </Modal>
  )
}

/** Shows the address to enter at the media server. */
function Enter({ way, onClose }: { readonly way: Way; readonly onClose: () => void }) {
  return (
    <Stack>
      <Text>{say(texts.hookText, { source: way.sourceName })}</Text>
      <WebhookAddress
        url={way.webhook?.endpoint_url ?? ''}
        use={`scrobble:${way.provider}:${way.instance}`}
        sourceName={way.sourceName}
        setup={way.source?.setup ?? ''}
      />
      <Group justify="flex-end">
        <Button onClick={onClose}>{texts.done}</Button>
      </Group>
    </Stack>
  )
}

function AddForm({
  overview,
  onClose,
  onAddress,
}: {
  readonly overview: Overview
  readonly onClose: () => void
  readonly onAddress: (way: Way) => void
}) {
  const save = useSave()
  const refresh = useRefresh()
  const sources = accountsOf(overview.eligible_sources)
  const [sourceValue, setSource] = useState(sources[0]?.value ?? '')
  const source = sources.find(({ value }) => value === sourceValue)
  const sinks = accountsOf(overview.destination_availability).filter(({ value }) => value !== sourceValue)
  const [chosenSink, setSink] = useState<string | null>(null)
  // Prefer a tracker that a person signed in to over the built-in one.
  const signedIn = sinks.find(({ provider }) => !provider.local)
  const sinkValue = chosenSink ?? (signedIn ?? sinks[0])?.value ?? ''
  const sink = sinks.find(({ value }) => value === sinkValue)
  const [wanted, setMethod] = useState<'live' | 'hook'>('live')
  const canWatch = source?.provider.watch === true
  const canHook = source?.provider.webhook === true
  const isLive = canWatch && (wanted === 'live' || !canHook)
  const [draft, setDraft] = useState(NEW_DRAFT)
  const [showsOptions, setShowsOptions] = useState(false)
  const [error, setError] = useState<unknown>(null)
  const [isBusy, setBusy] = useState(false)
  // A webhook profile delivers to one profile of each tracker.
  const taken =
    isLive || source === undefined || sink === undefined
      ? undefined
      : waysOf(overview).find(
          (way) =>
            way.webhook !== undefined &&
            way.provider === source.provider.provider &&
            way.instance === source.instance &&
            way.sink === sink.provider.provider &&
            way.sinkInstance !== sink.instance,
        )
  const errors: FieldErrors = {
    ...fieldErrors(error, FIELDS),
    ...(taken === undefined
      ? {}
      : { sink_instance: say(texts.otherProfile, { source: taken.sourceName, sink: taken.sinkName }) }),
  }
  const names = { source: source?.label ?? '', sink: sink?.label ?? '' }
  const name = say(scrobbling.wayName, names)

  async function submit() {
    if (source === undefined || sink === undefined) return
    setBusy(true)
    setError(null)
    const account = { provider: source.provider.provider, provider_instance: source.instance }
    try {
      if (isLive) await follow(account)
      else await accept(account)
    } catch (failure) {
      setError(failure)
      if (Object.keys(fieldErrors(failure, OPTION_FIELDS)).some((field) => field !== 'other')) setShowsOptions(true)
    } finally {
      setBusy(false)
    }
  }

  async function follow(account: { provider: string; provider_instance: string }) {
    const isFirst = overview.routes.length === 0
    const added = await save('POST /api/scrobbler/routes', {
      body: {
        ...account,
        sink: sink?.provider.provider ?? '',
        sink_instance: sink?.instance ?? '',
        filters: filtersOf(draft),
        options: optionsOf(draft),
      },
    })
    if (added === undefined) return
    notifyDone(say(texts.added, { name }))
    onClose()
    if (!isFirst) return
    // Turn the watcher on for a new user. Later, a stopped watcher is intended.
    try {
      await save('POST /api/scrobbler/settings', { body: { sources: { watcher: true }, watch_autostart: true } })
      await api('POST /api/watch/start')
    } catch (failure) {
      notifyFailure(failure, say(texts.notStarted, { name }))
    }
    await refresh()
  }

  async function accept(account: { provider: string; provider_instance: string }) {
    const isFirst = overview.webhooks.length === 0
    const { provider } = sink?.provider ?? { provider: '' }
    let saved = await save('POST /api/scrobbler/webhooks/profile', {
      body: {
        ...account,
        enabled: true,
        sinks: [provider],
        sink_instances: { [provider]: sink?.instance ?? 'default' },
        ...(draft === NEW_DRAFT ? {} : { filters: filtersOf(draft) }),
        ...Object.fromEntries(Object.entries(draft.numbers).filter(([, value]) => value !== '')),
      },
    })
    if (saved !== undefined && isFirst)
      saved = await save('POST /api/scrobbler/settings', { body: { sources: { webhook: true } } })
    const way = (saved === undefined ? [] : waysOf(saved)).find(
      (one) =>
        one.webhook !== undefined &&
        one.provider === account.provider &&
        one.instance === account.provider_instance &&
        one.sink === provider,
    )
    if (way !== undefined) onAddress(way)
  }

  return (
    <form
      noValidate
      onSubmit={(event) => {
        event.preventDefault()
        void submit()
      }}
    >
      <Stack>
        <SimpleGrid cols={{ base: 1, sm: 2 }}>
          <Select
            label={texts.source}
            data={sources.map(({ value, label }) => ({ value, label }))}
            value={sourceValue}
            allowDeselect={false}
            onChange={(value) => setSource(value ?? '')}
            error={errors['provider_instance']}
            data-autofocus
          />
          <Select
            label={texts.sink}
            data={sinks.map(({ value, label }) => ({ value, label }))}
            value={sink === undefined ? null : sinkValue}
            allowDeselect={false}
            onChange={setSink}
            error={errors['sink_instance']}
          />
        </SimpleGrid>
        <Radio.Group
          label={texts.method}
          value={isLive ? 'live' : 'hook'}
          onChange={(value) => setMethod(value as 'live' | 'hook')}
        >
          <Stack gap="xs" mt="xs">
            {(['live', 'hook'] as const)
              .filter((one) => (one === 'live' ? canWatch : canHook))
              .map((one) => (
                <Radio key={one} value={one} label={texts[one].title} description={texts[one].text} />
              ))}
          </Stack>
        </Radio.Group>
        <Fold title={texts.options} isOpen={showsOptions}>
          <OptionsFields
            draft={draft}
            onChange={setDraft}
            errors={errors}
            isLive={isLive}
            source={source?.provider}
            sourceName={names.source}
            overview={overview}
            raters={isLive ? ratersOf(overview) : []}
          />
        </Fold>
        {error === null || (Object.keys(errors).length > 0 && errors['other'] === undefined) ? null : (
          <Failure error={error} text={errors['other']} />
        )}
        <Group justify="flex-end">
          <Button variant="default" onClick={onClose}>
            {texts.cancel}
          </Button>
          <Button
            type="submit"
            loading={isBusy}
            disabled={source === undefined || sink === undefined || taken !== undefined}
          >
            {texts.submit}
          </Button>
        </Group>
      </Stack>
    </form>
  )
}
