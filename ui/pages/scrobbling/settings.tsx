// The switches of scrobbling, and the standard values.
import {
  Button,
  Fieldset,
  Group,
  MultiSelect,
  NumberInput,
  Paper,
  SimpleGrid,
  Stack,
  Switch,
  Title,
} from '@mantine/core'
import { useState } from 'react'
import { api } from '../../api/client.ts'
import { notifyDone, notifyFailure } from '../../parts/dialogs/notify.ts'
import { Failure } from '../../parts/page/failure.tsx'
import { scrobbling } from '../../texts/en/scrobbling.ts'
import { fieldErrors } from './field-errors.ts'
import { useRefresh, useSave, type Overview, type SettingsBody } from './use-overview.ts'

const { settings: texts, options } = scrobbling
const TYPES = Object.entries(texts.typeNames).map(([value, label]) => ({ value, label }))
const LIVE = ['watched_at', 'force_stop_at', 'progress_step', 'pause_debounce_seconds', 'suppress_start_at'] as const
const HOOK = ['pause_debounce_seconds', 'suppress_start_at'] as const
const FIELDS = [...LIVE.map((name) => `watch_${name}`), ...HOOK.map((name) => `webhook_${name}`)]

type Values = Readonly<Record<string, number | string>>

export function Settings({ overview }: { readonly overview: Overview }) {
  const save = useSave()
  const refresh = useRefresh()
  const [isBusy, setBusy] = useState(false)
  const { source_state: state, watcher_runtime: watcher } = overview

  async function change(body: SettingsBody) {
    setBusy(true)
    try {
      await save('POST /api/scrobbler/settings', { body })
    } catch (error) {
      notifyFailure(error)
    } finally {
      setBusy(false)
    }
  }

  async function turn(operation: 'POST /api/watch/start' | 'POST /api/watch/stop', done: string) {
    setBusy(true)
    try {
      await api(operation)
      notifyDone(done)
    } catch (error) {
      notifyFailure(error)
    } finally {
      setBusy(false)
      await refresh()
    }
  }

  const switches: readonly (readonly [
    name: 'enabled' | 'watcher' | 'webhook' | 'autostart' | 'removal',
    on: boolean,
    body: (on: boolean) => SettingsBody,
  ])[] = [
    ['enabled', state.enabled, (enabled) => ({ enabled })],
    ['watcher', state.sources.watcher, (watcherOn) => ({ sources: { watcher: watcherOn } })],
    ['webhook', state.sources.webhook, (webhook) => ({ sources: { webhook } })],
    ['autostart', state.watch_autostart, (on) => ({ watch_autostart: on })],
    ['removal', state.global_auto_remove_watchlist, (on) => ({ global_auto_remove_watchlist: on })],
  ]
  return (
    <Paper withBorder p="md" component="section" aria-label={texts.title}>
      <Group justify="space-between" mb="md">
        <Title order={2} size="h4">
          {texts.title}
        </Title>
        {!state.effective.watcher ? null : watcher.running ? (
          <Button
            size="xs"
            variant="default"
            disabled={isBusy}
            onClick={() => void turn('POST /api/watch/stop', texts.stopped)}
          >
            {texts.stop}
          </Button>
        ) : (
          <Button size="xs" disabled={isBusy} onClick={() => void turn('POST /api/watch/start', texts.started)}>
            {texts.start}
          </Button>
        )}
      </Group>
      <Stack gap="lg">
        <SimpleGrid cols={{ base: 1, sm: 2 }}>
          {switches.map(([name, on, body]) => (
            <Switch
              key={name}
              label={texts[name]}
              description={texts[`${name}Help`]}
              checked={on}
              disabled={isBusy}
              onChange={(event) => void change(body(event.currentTarget.checked))}
            />
          ))}
        </SimpleGrid>
        {state.global_auto_remove_watchlist ? (
          <MultiSelect
            label={texts.types}
            data={TYPES}
            value={state.global_auto_remove_types}
            disabled={isBusy}
            onChange={(types) => void change({ global_auto_remove_types: types })}
          />
        ) : null}
      </Stack>
    </Paper>
  )
}

export function StandardValues({ overview }: { readonly overview: Overview }) {
  const save = useSave()
  const [changed, setChanged] = useState<Values>({})
  const [error, setError] = useState<unknown>(null)
  const [isBusy, setBusy] = useState(false)
  const { watch_defaults: live, webhook_defaults: hook } = overview.source_state
  const errors = fieldErrors(error, FIELDS)

  async function submit() {
    setBusy(true)
    setError(null)
    try {
      await save('POST /api/scrobbler/settings', { body: changed as SettingsBody })
      setChanged({})
      notifyDone(texts.saved)
    } catch (failure) {
      setError(failure)
    } finally {
      setBusy(false)
    }
  }

  const fields = (
    prefix: 'watch' | 'webhook',
    names: readonly (typeof LIVE)[number][],
    values: Readonly<Record<string, unknown>>,
  ) => (
    <SimpleGrid cols={{ base: 1, sm: 2 }}>
      {names.map((name) => {
        const field = `${prefix}_${name}`
        return (
          <NumberInput
            key={field}
            label={options[name]}
            description={options[`${name}Help`]}
            value={changed[field] ?? (values[name] as number)}
            onChange={(value) => setChanged((now) => ({ ...now, [field]: value }))}
            error={errors[field]}
          />
        )
      })}
    </SimpleGrid>
  )

  return (
    <form
      noValidate
      onSubmit={(event) => {
        event.preventDefault()
        void submit()
      }}
    >
      <Stack>
        <Fieldset legend={texts.live}>{fields('watch', LIVE, live)}</Fieldset>
        <Fieldset legend={texts.hook}>{fields('webhook', HOOK, hook)}</Fieldset>
        {error === null || (Object.keys(errors).length > 0 && errors['other'] === undefined) ? null : (
          <Failure error={error} text={errors['other']} />
        )}
        <Group justify="flex-end">
          <Button type="submit" loading={isBusy} disabled={Object.keys(changed).length === 0}>
            {texts.save}
          </Button>
        </Group>
      </Stack>
    </form>
  )
}
