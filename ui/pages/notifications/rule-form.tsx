// Creates or edits a rule.
import {
  Button,
  Checkbox,
  Chip,
  Group,
  Input,
  Modal,
  NumberInput,
  Select,
  SimpleGrid,
  Stack,
  Switch,
  TagsInput,
  TextInput,
} from '@mantine/core'
import { useForm, type UseFormReturnType } from '@mantine/form'
import { useId } from 'react'
import { useChange } from '../../api/query.ts'
import { notifyDone } from '../../parts/dialogs/notify.ts'
import { Failure } from '../../parts/page/failure.tsx'
import { notifications } from '../../texts/en/notifications.ts'
import { say } from '../../texts/say.ts'
import { failureRule, KEY, type Overview, type Rule } from './state.ts'
import { serviceText } from '../../texts/service-text.ts'

const { rules: texts } = notifications
type RuleForm = UseFormReturnType<Omit<Rule, 'id'>>
const MAX_NAME = 60
const MAX_DOWN = 10_080
const MAX_GROUP = 1_440
const MAX_HOURLY = 1_000
const DAYS = texts.weekdays.map((label, index) => ({ value: String(index + 1), label }))
const ZONES = [
  { value: '', label: texts.ownZone },
  ...Intl.supportedValuesOf('timeZone').map((zone) => ({ value: zone, label: zone.replaceAll('_', ' ') })),
]

interface RuleDialogProps {
  readonly overview: Overview
  /** null: creates a rule. */
  readonly rule: Rule | null
  readonly onClose: () => void
}

export function RuleDialog({ overview: { events, targets }, rule, onClose }: RuleDialogProps) {
  const known = new Set(events.map(({ id }) => id))
  const form = useForm<Omit<Rule, 'id'>>({
    initialValues: rule ?? { ...failureRule(events), targets: targets.length === 1 ? targets.map(({ id }) => id) : [] },
    validate: {
      name: (name) => (name.trim() === '' ? notifications.nameMissing : null),
      events: (chosen) => (chosen.length === 0 ? texts.eventsMissing : null),
      targets: (chosen) => (chosen.length === 0 ? texts.targetsMissing : null),
    },
  })
  const save = useChange('POST /api/notifications/rules', {
    refresh: [KEY],
    onDone: ({ rule: saved }) => {
      notifyDone(say(texts.saved, { name: saved.name }))
      onClose()
    },
  })
  const { values } = form
  const places = [
    ...targets.map(({ id, name }) => ({ id, name })),
    ...(rule?.targets ?? [])
      .filter((id) => targets.every((target) => target.id !== id))
      .map((id) => ({ id, name: texts.goneTarget })),
  ]
  const others = values.events.filter((event) => !known.has(event))
  const own = values.events.filter((event) => known.has(event))
  // The service names an entry of the list ("targets.0"); the form has one field for all entries.
  const setErrors = (fields: Readonly<Record<string, string>>) =>
    form.setErrors(
      Object.fromEntries(
        Object.entries(fields).map(([field, text]) => [field.replace(/^(events|targets)\.\d+$/, '$1'), text]),
      ),
    )

  return (
    <Modal opened onClose={onClose} size="lg" title={rule === null ? texts.new : say(texts.edit, { name: rule.name })}>
      <form
        noValidate
        onSubmit={form.onSubmit((body) =>
          save.mutate(
            { body: { ...body, name: body.name.trim(), id: rule?.id } },
            { onError: ({ fields }) => setErrors(fields) },
          ),
        )}
      >
        <Stack>
          <TextInput
            label={notifications.name}
            required
            maxLength={MAX_NAME}
            data-autofocus
            {...form.getInputProps('name')}
          />
          <Checkbox.Group
            label={texts.events}
            value={own}
            error={form.errors['events']}
            onChange={(chosen) => form.setFieldValue('events', [...chosen, ...others])}
          >
            <SimpleGrid cols={{ base: 1, sm: 2 }} mt="xs" spacing="xs" style={{ gridAutoRows: '1fr' }}>
              {events.map(({ id, label }) => (
                <Checkbox key={id} value={id} label={serviceText(label)} />
              ))}
            </SimpleGrid>
          </Checkbox.Group>
          <TagsInput
            label={texts.more}
            description={texts.moreText}
            placeholder={texts.moreHint}
            value={others}
            acceptValueOnBlur
            onChange={(named) => form.setFieldValue('events', [...own, ...named])}
          />
          <Checkbox.Group
            label={texts.targets}
            value={values.targets}
            error={form.errors['targets']}
            onChange={(chosen) => form.setFieldValue('targets', chosen)}
          >
            <Stack mt="xs" gap="xs">
              {places.map(({ id, name }) => (
                <Checkbox key={id} value={id} label={name} />
              ))}
            </Stack>
          </Checkbox.Group>
          <SimpleGrid cols={{ base: 1, sm: 2 }}>
            {values.events.includes('service_down') ? (
              <NumberInput
                label={texts.down}
                min={0}
                max={MAX_DOWN}
                allowDecimal={false}
                {...numberOf(form, 'down_minutes')}
              />
            ) : null}
            <NumberInput
              label={texts.group}
              description={texts.groupText}
              inputWrapperOrder={['label', 'input', 'description', 'error']}
              min={0}
              max={MAX_GROUP}
              allowDecimal={false}
              {...numberOf(form, 'group_minutes')}
            />
            <NumberInput
              label={texts.max}
              description={texts.maxText}
              inputWrapperOrder={['label', 'input', 'description', 'error']}
              min={1}
              max={MAX_HOURLY}
              allowDecimal={false}
              {...numberOf(form, 'max_per_hour')}
            />
            <Select
              label={texts.zone}
              data={ZONES}
              searchable
              allowDeselect={false}
              {...form.getInputProps('time_zone')}
              onChange={(zone) => form.setFieldValue('time_zone', zone ?? '')}
            />
          </SimpleGrid>
          {values.events.includes('weekly_digest') ? (
            <SimpleGrid cols={{ base: 1, sm: 2 }}>
              <Select
                label={texts.digestDay}
                data={DAYS}
                allowDeselect={false}
                value={String(values.digest.weekday)}
                onChange={(day) => form.setFieldValue('digest.weekday', Number(day ?? 1))}
              />
              <TextInput type="time" label={texts.digestAt} required {...form.getInputProps('digest.at')} />
            </SimpleGrid>
          ) : null}
          <Quiet form={form} />
          {save.error === null ? null : <Failure error={save.error} />}
          <Group justify="flex-end">
            <Button variant="default" onClick={onClose}>
              {notifications.cancel}
            </Button>
            <Button type="submit" loading={save.isPending}>
              {notifications.save}
            </Button>
          </Group>
        </Stack>
      </form>
    </Modal>
  )
}

function Quiet({ form }: { readonly form: RuleForm }) {
  const daysId = useId()
  const { quiet } = form.values
  return (
    <Stack gap="sm">
      <Switch
        label={texts.quiet}
        description={texts.quietText}
        {...form.getInputProps('quiet.enabled', { type: 'checkbox' })}
      />
      {quiet.enabled ? (
        <>
          <SimpleGrid cols={{ base: 1, sm: 2 }}>
            <TextInput type="time" label={texts.from} required {...form.getInputProps('quiet.from')} />
            <TextInput type="time" label={texts.to} required {...form.getInputProps('quiet.to')} />
          </SimpleGrid>
          <Input.Wrapper label={texts.days} description={texts.daysText} labelElement="div" labelProps={{ id: daysId }}>
            <Chip.Group
              multiple
              value={quiet.days.map(String)}
              onChange={(days) =>
                form.setFieldValue(
                  'quiet.days',
                  days.map(Number).toSorted((a, b) => a - b),
                )
              }
            >
              <Group gap="xs" mt="xs" role="group" aria-labelledby={daysId}>
                {DAYS.map(({ value, label }) => (
                  <Chip key={value} size="xs" value={value}>
                    {label}
                  </Chip>
                ))}
              </Group>
            </Chip.Group>
          </Input.Wrapper>
          <Checkbox label={texts.exceptErrors} {...form.getInputProps('quiet.except_errors', { type: 'checkbox' })} />
        </>
      ) : null}
    </Stack>
  )
}

/** An empty field takes the minimum that the service accepts. */
function numberOf(form: RuleForm, field: 'down_minutes' | 'group_minutes' | 'max_per_hour') {
  return {
    value: form.values[field],
    error: form.errors[field],
    onChange: (value: string | number) =>
      form.setFieldValue(field, Number(value) || (field === 'max_per_hour' ? 1 : 0)),
  }
}
