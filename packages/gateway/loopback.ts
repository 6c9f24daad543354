const LOOPBACK: readonly string[] = ['127.0.0.1', '::1', 'localhost'];

/** A host as an address or a URL spells it, without the brackets of IPv6. */
export const withoutBrackets = (host: string): string => host.replace(/^\[|\]$/g, '');

/** Whether a host can be reached from this machine only. */
export const isLoopback = (host: string): boolean => LOOPBACK.includes(withoutBrackets(host));
