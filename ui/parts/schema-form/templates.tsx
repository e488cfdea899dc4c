// Fields that most people leave as they are follow the others, folded.
import { Title } from '@mantine/core'
import { Theme } from '@rjsf/mantine'
import type { ObjectFieldTemplateProps, RJSFSchema, TitleFieldProps } from '@rjsf/utils'
import type { ComponentType } from 'react'
import { parts } from '../../texts/en/parts.ts'
import { Fold } from '../page/fold.tsx'

type Props = ObjectFieldTemplateProps<unknown, RJSFSchema>
const Plain = (Theme.templates as { readonly ObjectFieldTemplate: ComponentType<Props> }).ObjectFieldTemplate

/**
 * Fields marked as advanced, and the tuning that profiles inherit from the default profile. A text is not tuning, except the id
 * of an application; addresses have working defaults.
 */
function advancedOf({ properties = {} }: RJSFSchema): ReadonlySet<string> {
  const fields = Object.entries(properties).filter(
    (entry): entry is [string, RJSFSchema] => typeof entry[1] === 'object',
  )
  const hasProfiles = fields.some(([, { inherit }]) => inherit === true)
  const isAddress = ({ default: value }: RJSFSchema) => String(value ?? '').startsWith('http')
  const isTuning = (field: RJSFSchema) => (field.type === 'string' ? isAddress(field) : field['inherit'] === true)
  const chosen = fields.filter(([, field]) => field['advanced'] === true || (hasProfiles && isTuning(field)))
  return new Set(chosen.map(([name]) => name))
}

function ObjectFieldTemplate(props: Props) {
  const { properties, schema, errorSchema } = props
  const names = advancedOf(schema)
  const first = properties.filter(({ name }) => !names.has(name))
  const rest = properties.filter(({ name, hidden }) => !hidden && names.has(name))
  if (rest.length === 0 || first.every(({ hidden }) => hidden)) return <Plain {...props} />
  return (
    <>
      <Plain {...props} properties={first} />
      <Fold
        title={parts.form.advanced}
        isKept
        isOpen={rest.some(({ name }) => errorSchema?.[name as never] !== undefined)}
      >
        <Plain
          {...props}
          title=""
          description=""
          schema={{ ...schema, additionalProperties: false }}
          fieldPathId={{ ...props.fieldPathId, $id: `${props.fieldPathId.$id}__advanced` }}
          properties={rest}
        />
      </Fold>
    </>
  )
}

/** Between the title of a card and the labels of its fields. */
function TitleFieldTemplate({ id, title }: TitleFieldProps<unknown, RJSFSchema>) {
  return title === '' ? null : (
    <Title id={id} order={3} size="h5" className="schema-title">
      {title}
    </Title>
  )
}

export const templates = { ObjectFieldTemplate, TitleFieldTemplate }
