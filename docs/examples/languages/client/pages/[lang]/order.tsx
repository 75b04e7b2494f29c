import { useTranslations } from 'use-intl'
import { z } from 'zod'
import { ErrorSummary, Field, redirect, withSchema, type Ctx, type PageProps } from '@hull/shell/client'
import { translate, LANGUAGES } from '../../messages/index.ts'

export const layout = 'language'

export const sitemap = () => LANGUAGES.map((language) => ({ path: `/${language}/order` }))

/** Its errors are names of messages. */
const Order = z.object({ metres: z.coerce.number('wholeNumber').int('wholeNumber').min(1, 'wholeNumber') })

export const getData = ({ search }: Ctx) => ({ ordered: Number(search.get('ordered')) })

export const getMeta = ({ params }: Ctx<'/[lang]'>) => ({ title: translate(params.lang, 'Site')('order') })

export const action = withSchema({ form: Order }, ({ params, values }) =>
  redirect(`/${params.lang}/order?ordered=${values.metres}`)
)

export default function OrderPage({ data: { ordered }, form }: PageProps<typeof getData, typeof action>) {
  const t = useTranslations('Order')
  const metres = form?.errors.metres as 'wholeNumber' | undefined
  const translated = form && { ...form, errors: { ...form.errors, metres: metres && t(metres) } }
  return (
    <form method="post" noValidate>
      {ordered > 0 && <p role="status">{t('thanks', { metres: ordered })}</p>}
      <ErrorSummary form={translated} heading={(fields) => t('refused', { fields })} />
      <Field form={translated} name="metres" label={t('metres')} />
      <button type="submit">{t('send')}</button>
    </form>
  )
}
