/** Whom a call speaks for or asks about. */
export interface NamedOwner {
  readonly userId?: string | undefined;
  readonly workspaceId?: string | undefined;
}

/** Who sends: a user's token speaks for its user; a service says for whom it speaks, and speaks for its own where it does not say. */
export interface Caller extends NamedOwner {
  readonly kind: 'service' | 'user';
  /** A service that speaks for its own user or workspace and for nobody else. */
  readonly isBound?: boolean;
}

/** What such a service is told of another. */
export const BOUND_ELSEWHERE = 'is another one than this service speaks for';

/** Which of the named a bound service does not speak for; a workspace is as much another owner as a user is. */
export const findForeignName = ({ kind, isBound, ...own }: Caller, { userId, workspaceId }: NamedOwner): keyof NamedOwner | undefined => {
  if (kind !== 'service' || isBound !== true) return undefined;
  if (workspaceId !== undefined && workspaceId !== own.workspaceId) return 'workspaceId';
  return userId !== undefined && own.userId !== undefined && userId !== own.userId ? 'userId' : undefined;
};
