// Automatic captures: a section of the schedule settings.
import {
  ActionIcon,
  Alert,
  Button,
  Chip,
  Group,
  Input,
  Modal,
  NumberInput,
  Paper,
  Select,
  Stack,
  Switch,
  Text,
  TextInput,
  Title,
} from '@mantine/core'
import { IconPlus, IconTrash } from '@tabler/icons-react'
import { useId, useState } from 'react'
import type { Answer } from '../../api/client.ts'
import { useChange, useRead } from '../../api/query.ts'
import { DialogButtons } from '../../parts/dialogs/dialog-buttons.tsx'
import { confirm } from '../../parts/dialogs/confirm.ts'
import { notifyDone, notifyFailure } from '../../parts/dialogs/notify.ts'
import { Failure } from '../../parts/page/failure.tsx'
import { QueryView } from '../../parts/page/query-view.tsx'
import { featureName, useNames } from '../../parts/values/names.ts'
import { ServiceMark } from '../../parts/values/service-mark.tsx'
import { captures } from '../../texts/en/captures.ts'
import { locale } from '../../texts/language.ts'
import { say } from '../../texts/say.ts'
import { serviceText } from '../../texts/service-text.ts'
import type { Account } from './accounts.ts'
import { ALL, whatOf } from './capture.ts'
import { AccountSelect } from './create-dialog.tsx'

type Config = Answer<'GET /api/scheduling'>
type CaptureJob = Config['advanced']['capture_jobs'][number]

const { schedule: texts } = captures
const NIGHT = '04:00'
const KEEP = 30
const WEEKDAY = new Intl.DateTimeFormat(locale, { weekday: 'short', timeZone: 'UTC' })
/** 1 January 2024 was a Monday. */
const DAYS = [1, 2, 3, 4, 5, 6, 7].map((day) => ({ day, name: WEEKDAY.format(Date.UTC(2024, 0, day)) }))

export function Schedule({ accounts }: { readonly accounts: readonly Account[] }) {
  const query = useRead(['schedule', 'config'], 'GET /api/scheduling')
  const names = useNames()
  const [isAdding, setAdding] = useState(false)
  const save = useChange('POST /api/scheduling', {
    refresh: [['schedule']],
    onDone: () => {
      notifyDone(texts.saved)
      setAdding(false)
    },
  })
  const put = (config: Config, jobs: readonly CaptureJob[]) =>
    save.mutate({ body: { ...config, advanced: { ...config.advanced, capture_jobs: [...jobs] } } as never })

  async function remove(config: Config, job: CaptureJob) {
    const title = say(texts.remove, { name: names.account(job.provider, job.instance) })
    if (await confirm({ title, text: texts.removeText, action: captures.list.remove }))
      put(
        config,
        config.advanced.capture_jobs.filter(({ id }) => id !== job.id),
      )
  }

  return (
    <Paper withBorder p="md" component="section" aria-label={texts.title}>
      <Group justify="space-between" wrap="nowrap" mb="xs">
        <Title order={2} size="h5">
          {texts.title}
        </Title>
        <Button
          size="xs"
          variant="default"
          leftSection={<IconPlus size={14} aria-hidden />}
          disabled={accounts.length === 0 || query.data === undefined}
          onClick={() => setAdding(true)}
        >
          {texts.add}
        </Button>
      </Group>
      <QueryView query={query} rows={1}>
        {(config) => {
          const { capture_jobs: jobs } = config.advanced
          return (
            <>
              {jobs.length === 0 ? (
                <Text size="sm" c="dimmed">
                  {texts.none}
                </Text>
              ) : (
                <ul className="plain-list">
                  {jobs.map((job) => {
                    const name = names.account(job.provider, job.instance)
                    return (
                      <Group key={job.id} component="li" gap="xs" wrap="nowrap" py="xs" className="line">
                        <ServiceMark provider={job.provider} />
                        <div className="grow">
                          <Text size="sm" fw={600} truncate>
                            {name} · {whatOf(job.feature)}
                          </Text>
                          <Text size="xs" c="dimmed" truncate>
                            {timesText(job)} · {say(texts.keep, { n: job.auto_delete_old ? job.max_captures : 0 })}
                          </Text>
                        </div>
                        <Switch
                          aria-label={say(texts.active, { name })}
                          checked={job.active}
                          onChange={(event) => {
                            const active = event.currentTarget.checked
                            put(
                              config,
                              jobs.map((one) => (one.id === job.id ? { ...one, active } : one)),
                            )
                          }}
                        />
                        <ActionIcon
                          variant="subtle"
                          color="gray"
                          aria-label={say(texts.remove, { name })}
                          onClick={() => void remove(config, job).catch(notifyFailure)}
                        >
                          <IconTrash size={16} aria-hidden />
                        </ActionIcon>
                      </Group>
                    )
                  })}
                </ul>
              )}
              {isAdding ? (
                <AddDialog
                  accounts={accounts}
                  isBusy={save.isPending}
                  error={save.error}
                  onClose={() => setAdding(false)}
                  onAdd={(job) => put(config, [...jobs, { ...job, id: freeId(jobs) }])}
                />
              ) : save.error === null ? null : (
                <Failure error={save.error} />
              )}
            </>
          )
        }}
      </QueryView>
    </Paper>
  )
}

interface AddDialogProps {
  readonly accounts: readonly Account[]
  readonly isBusy: boolean
  readonly error: Error | null
  readonly onClose: () => void
  readonly onAdd: (job: Omit<CaptureJob, 'id'>) => void
}

function AddDialog({ accounts, isBusy, error, onClose, onAdd }: AddDialogProps) {
  const [account, setAccount] = useState<string | null>(accounts[0]?.value ?? null)
  const [feature, setFeature] = useState<string>(ALL)
  const [at, setAt] = useState(NIGHT)
  const [days, setDays] = useState<readonly string[]>([])
  const [keep, setKeep] = useState(KEEP)
  const daysId = useId()
  const chosen = accounts.find(({ value }) => value === account)
  const { data: providers, isPending } = useRead(['pairs', 'providers'], 'GET /api/sync/providers')
  const terms = providers?.find(({ name }) => name === chosen?.provider)?.terms.captures ?? null
  const [isWanted, setWanted] = useState(false)
  return (
    <Modal opened onClose={onClose} title={texts.addTitle}>
      <form
        onSubmit={(event) => {
          event.preventDefault()
          if (chosen === undefined) return
          const { provider, instance } = chosen
          onAdd({
            ...{
              provider,
              instance,
              feature: feature as CaptureJob['feature'],
              at,
              active: terms === null || isWanted,
              catch_up: true,
            },
            days: days.map(Number).sort((a, b) => a - b),
            ...{ label_template: '', retention_days: 0, max_captures: keep, auto_delete_old: keep > 0 },
          })
        }}
      >
        <Stack>
          <AccountSelect accounts={accounts} value={account} onChange={setAccount} />
          <Select
            label={captures.filters.feature}
            allowDeselect={false}
            data={[
              { value: ALL, label: captures.everything },
              ...(chosen?.features ?? []).map((one) => ({ value: one as string, label: featureName(one) })),
            ]}
            value={feature}
            onChange={(value) => setFeature(value ?? ALL)}
          />
          <TextInput
            type="time"
            label={texts.time}
            required
            value={at}
            onChange={(event) => setAt(event.currentTarget.value)}
          />
          <Input.Wrapper label={texts.days} description={texts.daysText} labelElement="div" labelProps={{ id: daysId }}>
            <Chip.Group multiple value={[...days]} onChange={setDays}>
              <Group gap="xs" mt="xs" role="group" aria-labelledby={daysId}>
                {DAYS.map(({ day, name }) => (
                  <Chip key={day} value={String(day)} size="xs">
                    {name}
                  </Chip>
                ))}
              </Group>
            </Chip.Group>
          </Input.Wrapper>
          <NumberInput
            label={texts.keepCount}
            description={texts.keepText}
            min={0}
            max={100_000}
            allowDecimal={false}
            value={keep}
            onChange={(value) => setKeep(Number(value) || 0)}
          />
          <Text size="sm" c="dimmed">
            {texts.zone}
          </Text>
          {terms === null ? null : (
            <Alert color="gray">
              {serviceText(terms)}
              <Switch
                mt="sm"
                label={texts.anyway}
                checked={isWanted}
                onChange={(event) => setWanted(event.currentTarget.checked)}
              />
            </Alert>
          )}
          {error === null ? null : <Failure error={error} />}
          <DialogButtons onCancel={onClose}>
            <Button type="submit" loading={isBusy} disabled={chosen === undefined || isPending}>
              {texts.save}
            </Button>
          </DialogButtons>
        </Stack>
      </form>
    </Modal>
  )
}

function timesText({ at, days }: CaptureJob): string {
  const time = at ?? NIGHT
  if (days.length === 0 || days.length === DAYS.length) return say(texts.every, { at: time })
  return say(texts.on, { at: time, days: DAYS.flatMap(({ day, name }) => (days.includes(day) ? name : [])).join(', ') })
}

function freeId(jobs: readonly CaptureJob[]): string {
  for (let n = jobs.length + 1; ; n += 1) if (!jobs.some(({ id }) => id === `capture-${n}`)) return `capture-${n}`
}
