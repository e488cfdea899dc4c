// The schedule of nightly backups.
import { Alert, Button, Group, NumberInput, Paper, Stack, Switch, Text, TextInput, Title } from '@mantine/core'
import { useMemo } from 'react'
import type { Answer } from '../../api/client.ts'
import { useChange, useRead } from '../../api/query.ts'
import { Failure } from '../../parts/page/failure.tsx'
import { notifyDone } from '../../parts/dialogs/notify.ts'
import { useDraft } from '../../parts/page/use-draft.ts'
import { QueryView } from '../../parts/page/query-view.tsx'
import { backups } from '../../texts/en/backups.ts'
import { say } from '../../texts/say.ts'

type Given = Answer<'GET /api/backups/schedule'>['schedule']
const { schedule: texts } = backups
const NIGHT = '03:00'
const KEEP = 10

export function Schedule() {
  const query = useRead(['backups', 'schedule'], 'GET /api/backups/schedule')
  const { data } = useRead(['backups', 'job'], 'GET /api/backups/job')
  const hold = data?.job?.on_hold
  return (
    <Stack gap="xs">
      {hold == null ? null : <Alert color="yellow">{say(texts.waits, { detail: hold.detail })}</Alert>}
      <QueryView query={query}>{({ schedule }) => <Form given={schedule} />}</QueryView>
    </Stack>
  )
}

function Form({ given }: { readonly given: Given }) {
  // Further fields are settings that this form does not show, and keeps.
  const { id: _, active = false, ...settings } = given as Partial<Extract<Given, { readonly id: string }>>
  const { at: knownAt, max_backups: knownKeep } = settings
  const read = useMemo(
    () => ({ isOn: active, at: knownAt ?? NIGHT, keep: knownKeep ?? KEEP }),
    [active, knownAt, knownKeep],
  )
  const [draft, setDraft] = useDraft(read)
  const { isOn, at, keep } = draft
  const set = (part: Partial<typeof draft>) => setDraft((now) => ({ ...now, ...part }))
  const change = useChange('POST /api/backups/schedule', {
    refresh: [['backups', 'schedule'], ['schedule']],
    onDone: () => notifyDone(texts.saved),
  })
  const isSame = isOn === read.isOn && at === read.at && keep === read.keep
  return (
    <Paper withBorder p="md" component="section" aria-label={texts.title}>
      <Stack gap="sm">
        <Group justify="space-between">
          <div>
            <Title order={2} size="h4">
              {texts.title}
            </Title>
            <Text size="sm" c="dimmed">
              {say(texts.text, { at })}
            </Text>
          </div>
          <Switch label={texts.on} checked={isOn} onChange={(event) => set({ isOn: event.currentTarget.checked })} />
        </Group>
        <Group align="flex-end">
          <TextInput
            type="time"
            label={texts.at}
            value={at}
            onChange={(event) => set({ at: event.currentTarget.value })}
            disabled={!isOn}
          />
          <NumberInput
            label={texts.keep}
            min={1}
            max={365}
            value={keep}
            onChange={(next) => set({ keep: typeof next === 'number' ? next : KEEP })}
            disabled={!isOn}
          />
          <Button
            variant="default"
            disabled={isSame}
            loading={change.isPending}
            onClick={() => change.mutate({ body: { ...settings, enabled: isOn, at, max_backups: keep } })}
          >
            {texts.save}
          </Button>
        </Group>
        {change.error === null ? null : <Failure error={change.error} />}
      </Stack>
    </Paper>
  )
}
