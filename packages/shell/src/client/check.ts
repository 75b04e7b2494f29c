import type { ComponentType } from 'react'
import type { ActionCtx, Ctx, EnterCtx, MetaCtx } from './context-contract.ts'
import type { LayoutModule, LayoutProps, PageModule, PageProps } from './page-contract.ts'
import type { Meta } from './meta-contract.ts'

/*
 * A file that the build writes instantiates these types once per page. If a module breaks the contract, it does not
 * satisfy the constraint, and the type checker names the file.
 */

type ExportOf<Module, Name extends string> = Module extends Record<Name, infer Export> ? Export : undefined

/** Exports whose types are the same for every page. */
type Flags = Omit<PageModule, 'default' | 'guard' | 'getData' | 'getMeta' | 'onEnter' | 'action'>

interface PageContract<Path extends string, Module> extends Flags {
  default: ComponentType<PageProps<ExportOf<Module, 'getData'>, ExportOf<Module, 'action'>>>
  guard?: (ctx: Ctx<Path>) => unknown
  getData?: (ctx: Ctx<Path>) => unknown
  getMeta?: (ctx: MetaCtx<ExportOf<Module, 'getData'>, Path>) => Meta | Promise<Meta>
  onEnter?: (ctx: EnterCtx<ExportOf<Module, 'getData'>, Path>) => unknown
  action?: (ctx: ActionCtx<Path>) => unknown
}

interface LayoutContract<Module> {
  default: ComponentType<LayoutProps<ExportOf<Module, 'getData'>>>
  guard?: (ctx: Ctx) => unknown
  getData?: (ctx: Ctx) => unknown
  ErrorView?: LayoutModule['ErrorView']
  NotFoundView?: LayoutModule['NotFoundView']
  LoadingView?: LayoutModule['LoadingView']
  layout?: string
}

export type CheckPage<Path extends string, Module extends PageContract<Path, Module>> = [Path, Module]
export type CheckLayout<Module extends LayoutContract<Module>> = Module
