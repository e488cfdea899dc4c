// Jobs: a pair at a time of day, or after another job.
import {
  ActionIcon,
  Button,
  Checkbox,
  Chip,
  Group,
  Input,
  Paper,
  Select,
  SimpleGrid,
  Stack,
  Switch,
  Text,
  TextInput,
  Title,
} from '@mantine/core'
import { IconPlayerPlay, IconPlus, IconTrash } from '@tabler/icons-react'
import { useId } from 'react'
import { schedule as texts } from '../../texts/en/schedule.ts'
import { say } from '../../texts/say.ts'
import type { Config, Pairs } from './data.ts'

type Job = Config['advanced']['jobs'][number]

interface JobsProps {
  readonly jobs: readonly Job[]
  /** Saved jobs; only these can be run. */
  readonly saved: readonly Job[]
  readonly pairs: Pairs
  readonly onChange: (jobs: Job[]) => void
  readonly onRun: (id: string) => void
}

const { jobs: jobTexts } = texts
const AT = ''

export function Jobs({ jobs, saved, pairs, onChange, onRun }: JobsProps) {
  const put = (index: number, part: Partial<Job>) =>
    onChange(jobs.map((job, at) => (at === index ? { ...job, ...part } : job)))
  const drop = ({ id }: Job) =>
    onChange(
      jobs
        .filter((job) => job.id !== id)
        .map((job) => (job.after === id ? { ...job, after: null, at: job.at ?? '03:30' } : job)),
    )
  const add = () =>
    onChange([
      ...jobs,
      {
        id: freeId('job', jobs),
        pair_id: pairs[0]?.id ?? null,
        at: '03:30',
        days: [],
        after: null,
        active: true,
        continue_on_error: false,
      },
    ])
  return (
    <section aria-label={jobTexts.title}>
      <Group justify="space-between" mb="xs">
        <div>
          <Title order={3} size="h5">
            {jobTexts.title}
          </Title>
          <Text size="sm" c="dimmed">
            {jobs.length === 0 ? jobTexts.noneText : jobTexts.text}
          </Text>
        </div>
        <Button variant="default" size="xs" leftSection={<IconPlus size={14} aria-hidden />} onClick={add}>
          {jobTexts.add}
        </Button>
      </Group>
      <Stack gap="sm">
        {jobs.map((job, index) => (
          <JobFields
            key={job.id}
            job={job}
            index={index}
            jobs={jobs}
            pairs={pairs}
            onChange={(part) => put(index, part)}
            onRemove={() => drop(job)}
            {...(saved.some(({ id }) => id === job.id) ? { onRun: () => onRun(job.id) } : {})}
          />
        ))}
      </Stack>
    </section>
  )
}

interface JobFieldsProps {
  readonly job: Job
  readonly index: number
  readonly jobs: readonly Job[]
  readonly pairs: Pairs
  readonly onChange: (part: Partial<Job>) => void
  readonly onRemove: () => void
  readonly onRun?: () => void
}

function JobFields({ job, index, jobs, pairs, onChange, onRemove, onRun }: JobFieldsProps) {
  const n = index + 1
  const daysId = useId()
  const starts = [
    { value: AT, label: jobTexts.atTime },
    ...jobs.flatMap(({ id }, at) =>
      id === job.id ? [] : [{ value: id, label: say(jobTexts.afterJob, { n: at + 1 }) }],
    ),
  ]
  return (
    <Paper withBorder p="md" role="group" aria-label={say(jobTexts.one, { n })}>
      <Group justify="space-between" mb="xs">
        <Text fw={500}>{say(jobTexts.one, { n })}</Text>
        <Group gap="xs">
          <Switch
            label={jobTexts.active}
            checked={job.active}
            onChange={(event) => onChange({ active: event.currentTarget.checked })}
          />
          {onRun === undefined ? null : (
            <ActionIcon variant="subtle" aria-label={say(jobTexts.run, { n })} onClick={onRun}>
              <IconPlayerPlay size={16} />
            </ActionIcon>
          )}
          <ActionIcon variant="subtle" color="red" aria-label={say(jobTexts.remove, { n })} onClick={onRemove}>
            <IconTrash size={16} />
          </ActionIcon>
        </Group>
      </Group>
      <SimpleGrid cols={{ base: 1, sm: 3 }}>
        <Select
          label={jobTexts.pair}
          data={pairs.map(({ id, name }) => ({ value: id, label: name }))}
          value={job.pair_id}
          allowDeselect={false}
          onChange={(pairId) => onChange({ pair_id: pairId })}
        />
        <Select
          label={jobTexts.starts}
          data={starts}
          value={job.after ?? AT}
          allowDeselect={false}
          onChange={(after) =>
            onChange(after === AT || after === null ? { after: null, at: job.at ?? '03:30' } : { after, at: null })
          }
        />
        {job.after !== null ? null : (
          <TextInput
            type="time"
            label={jobTexts.time}
            required
            value={job.at ?? ''}
            onChange={(event) => onChange({ at: event.currentTarget.value })}
          />
        )}
      </SimpleGrid>
      {job.after !== null ? (
        <Checkbox
          mt="sm"
          label={jobTexts.runAfterFailure}
          checked={job.continue_on_error}
          onChange={(event) => onChange({ continue_on_error: event.currentTarget.checked })}
        />
      ) : (
        <Input.Wrapper
          mt="sm"
          label={jobTexts.days}
          description={jobTexts.daysHelp}
          labelElement="div"
          labelProps={{ id: daysId }}
        >
          <Chip.Group
            multiple
            value={job.days.map(String)}
            onChange={(days) => onChange({ days: days.map(Number).toSorted((a, b) => a - b) })}
          >
            <Group gap="xs" mt="xs" role="group" aria-labelledby={daysId}>
              {texts.days.map((day, at) => (
                <Chip key={day} size="xs" value={String(at + 1)}>
                  {day}
                </Chip>
              ))}
            </Group>
          </Chip.Group>
        </Input.Wrapper>
      )}
    </Paper>
  )
}

/** An unused id such as "job_3". */
export function freeId(stem: string, entries: readonly { readonly id: string }[]): string {
  for (let n = entries.length + 1; ; n += 1) {
    const id = `${stem}_${n}`
    if (entries.every((one) => one.id !== id)) return id
  }
}
