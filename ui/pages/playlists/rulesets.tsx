// Rules: split a list over several lists, or sync both ways.
import {
  ActionIcon,
  Badge,
  Button,
  Checkbox,
  Group,
  Modal,
  NumberInput,
  Paper,
  Radio,
  Select,
  SimpleGrid,
  Stack,
  Text,
  TextInput,
} from '@mantine/core'
import { IconCopy, IconPencil, IconPlus, IconTrash } from '@tabler/icons-react'
import { useState } from 'react'
import { useChange, useRead } from '../../api/query.ts'
import { confirm } from '../../parts/dialogs/confirm.ts'
import { notifyDone, notifyFailure } from '../../parts/dialogs/notify.ts'
import { Failure } from '../../parts/page/failure.tsx'
import { QueryView } from '../../parts/page/query-view.tsx'
import { playlists } from '../../texts/en/playlists.ts'
import { locale } from '../../texts/language.ts'
import { say } from '../../texts/say.ts'
import { KEY, type Mapping, type Ruleset } from './state.ts'

const { rulesets: texts, dialog } = playlists
const listed = new Intl.ListFormat(locale)
const FRESH = { direction: 'one_way', membership: 'managed_only', order: 'ignore' }
const NUMBERS = { per_endpoint_capacity: 250, aggregate_capacity: 1_000, maximum_targets: 5 } as const
type NumberField = keyof typeof NUMBERS

const numberOf = (ruleset: Ruleset | null, field: NumberField) => {
  const value = ruleset?.[field]
  return typeof value === 'number' ? value : NUMBERS[field]
}

export function Rulesets({ mappings }: { readonly mappings: readonly Mapping[] }) {
  const query = useRead([...KEY, 'rulesets'], 'GET /api/playlists/rulesets')
  const [open, setOpen] = useState<Ruleset | 'new' | null>(null)
  return (
    <Stack gap="sm">
      <Group justify="space-between" align="flex-start">
        <Text c="dimmed" size="sm" className="grow-field">
          {texts.intro}
        </Text>
        <Button variant="default" leftSection={<IconPlus size={16} aria-hidden />} onClick={() => setOpen('new')}>
          {texts.add}
        </Button>
      </Group>
      <QueryView query={query} rows={2}>
        {({ rulesets }) => (
          <Paper withBorder px="md" component="ul" m={0} style={{ listStyle: 'none' }}>
            {rulesets.map((ruleset) => (
              <Line
                key={ruleset.id}
                ruleset={ruleset}
                usedBy={mappings.filter(({ ruleset_id: id }) => id === ruleset.id).map(({ name }) => name)}
                onEdit={() => setOpen(ruleset)}
              />
            ))}
          </Paper>
        )}
      </QueryView>
      {open === null ? null : <RulesDialog ruleset={open === 'new' ? null : open} onClose={() => setOpen(null)} />}
    </Stack>
  )
}

interface LineProps {
  readonly ruleset: Ruleset
  readonly usedBy: readonly string[]
  readonly onEdit: () => void
}

function Line({ ruleset, usedBy, onEdit }: LineProps) {
  const { id, name, direction, built_in: isBuiltIn } = ruleset
  const onError = (error: unknown) => notifyFailure(error)
  const copy = useChange('POST /api/playlists/rulesets/{ruleset_id}/clone', {
    refresh: [KEY],
    onDone: ({ ruleset: made }) => notifyDone(say(texts.saved, { name: made.name })),
  })
  const remove = useChange('DELETE /api/playlists/rulesets/{ruleset_id}', {
    refresh: [KEY],
    onDone: () => notifyDone(say(texts.removed, { name })),
  })
  const errors = ruleset['valid'] === false ? (ruleset['errors'] as readonly { readonly message: string }[]) : []

  async function ask() {
    if (usedBy.length > 0) return notifyFailure(say(texts.inUse, { name, names: listed.format(usedBy) }))
    if (
      await confirm({
        title: say(texts.removeTitle, { name }),
        text: texts.removeText,
        action: say(texts.remove, { name }),
      })
    )
      remove.mutate({ params: { ruleset_id: id } }, { onError })
  }

  return (
    <Group component="li" className="line" py="sm" justify="space-between" wrap="nowrap">
      <div className="grow">
        <Group gap="xs">
          <Text fw={600} dir="auto" style={{ overflowWrap: 'anywhere' }}>
            {name}
          </Text>
          {isBuiltIn ? <Badge variant="default">{texts.builtIn}</Badge> : null}
        </Group>
        <Text size="sm" c="dimmed">
          {say(texts.summary, {
            direction: (texts.directions as Readonly<Record<string, string>>)[direction] ?? direction,
            n: numberOf(ruleset, 'maximum_targets'),
            capacity: numberOf(ruleset, 'per_endpoint_capacity'),
            total: numberOf(ruleset, 'aggregate_capacity'),
          })}
          {usedBy.length === 0 ? null : ` · ${say(texts.used, { names: listed.format(usedBy) })}`}
        </Text>
        {errors.length === 0 ? null : (
          <Text size="sm" c="red">
            {say(texts.broken, { why: errors.map(({ message }) => message).join(' ') })}
          </Text>
        )}
      </div>
      <Group gap="2xs" wrap="nowrap">
        <ActionIcon
          variant="subtle"
          aria-label={say(texts.copy, { name })}
          loading={copy.isPending}
          onClick={() => copy.mutate({ params: { ruleset_id: id } }, { onError })}
        >
          <IconCopy size={16} />
        </ActionIcon>
        {isBuiltIn ? null : (
          <>
            <ActionIcon variant="subtle" aria-label={say(texts.edit, { name })} onClick={onEdit}>
              <IconPencil size={16} />
            </ActionIcon>
            <ActionIcon
              variant="subtle"
              color="red"
              aria-label={say(texts.remove, { name })}
              loading={remove.isPending}
              onClick={() => void ask()}
            >
              <IconTrash size={16} />
            </ActionIcon>
          </>
        )}
      </Group>
    </Group>
  )
}

function RulesDialog({ ruleset, onClose }: { readonly ruleset: Ruleset | null; readonly onClose: () => void }) {
  const [name, setName] = useState(ruleset?.name ?? '')
  const [direction, setDirection] = useState(ruleset?.direction ?? FRESH.direction)
  const [membership, setMembership] = useState(ruleset?.membership ?? FRESH.membership)
  const [isOrdered, setOrdered] = useState((ruleset?.['order'] ?? FRESH.order) === 'preserve')
  const [numbers, setNumbers] = useState(() => ({
    per_endpoint_capacity: numberOf(ruleset, 'per_endpoint_capacity'),
    aggregate_capacity: numberOf(ruleset, 'aggregate_capacity'),
    maximum_targets: numberOf(ruleset, 'maximum_targets'),
  }))
  const save = useChange('POST /api/playlists/rulesets', {
    refresh: [KEY],
    onDone: ({ ruleset: saved }) => {
      notifyDone(say(texts.saved, { name: saved.name }))
      onClose()
    },
  })
  const number = (field: NumberField, label: string) => (
    <NumberInput
      label={label}
      min={1}
      allowDecimal={false}
      value={numbers[field]}
      onChange={(value) => setNumbers((before) => ({ ...before, [field]: Number(value) || 1 }))}
    />
  )
  return (
    <Modal
      opened
      onClose={onClose}
      title={ruleset === null ? texts.newTitle : say(texts.editTitle, { name: ruleset.name })}
    >
      <form
        onSubmit={(event) => {
          event.preventDefault()
          save.mutate({
            body: {
              id: ruleset?.id,
              name: name.trim(),
              direction,
              membership,
              order: isOrdered ? 'preserve' : 'ignore',
              ...numbers,
            },
          })
        }}
      >
        <Stack>
          <TextInput
            label={texts.name}
            required
            maxLength={64}
            dir="auto"
            data-autofocus
            value={name}
            onChange={(event) => setName(event.currentTarget.value)}
          />
          <Radio.Group label={texts.direction} value={direction} onChange={setDirection}>
            <Group mt="xs">
              {(['one_way', 'bidirectional'] as const).map((one) => (
                <Radio key={one} value={one} label={texts.directions[one]} />
              ))}
            </Group>
          </Radio.Group>
          <Select
            label={texts.membership}
            data={Object.entries(dialog.memberships).map(([value, label]) => ({ value, label }))}
            value={membership}
            onChange={(next) => setMembership(next ?? membership)}
            allowDeselect={false}
          />
          <SimpleGrid cols={{ base: 1, xs: 3 }}>
            {number('maximum_targets', texts.lists)}
            {number('per_endpoint_capacity', texts.capacity)}
            {number('aggregate_capacity', texts.total)}
          </SimpleGrid>
          <Checkbox
            label={texts.order}
            checked={isOrdered}
            onChange={(event) => setOrdered(event.currentTarget.checked)}
          />
          {save.error === null ? null : <Failure error={save.error} />}
          <Group justify="flex-end">
            <Button variant="default" onClick={onClose}>
              {texts.cancel}
            </Button>
            <Button type="submit" loading={save.isPending}>
              {texts.save}
            </Button>
          </Group>
        </Stack>
      </form>
    </Modal>
  )
}
