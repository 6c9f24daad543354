#!/bin/sh
# Makes the namespace and Strata's search attributes where they are missing. Server and namespace come from TEMPORAL_ADDRESS and TEMPORAL_NAMESPACE.
set -eu

temporal operator cluster health
temporal operator namespace describe --namespace "$TEMPORAL_NAMESPACE" >/dev/null 2>&1 ||
  temporal operator namespace create --namespace "$TEMPORAL_NAMESPACE" --retention 72h

# The processes of a cluster learn of a new namespace one after the other, within ten seconds or so.
tries=60
until temporal operator search-attribute list --namespace "$TEMPORAL_NAMESPACE" >/dev/null 2>&1; do
  tries=$((tries - 1))
  if [ "$tries" -eq 0 ]; then
    echo "namespace $TEMPORAL_NAMESPACE is not served" >&2
    exit 1
  fi
  sleep 1
done

for name in StrataPipeline StrataRun StrataLayer StrataScope StrataLane StrataTenant StrataOutcome; do
  if ! temporal operator search-attribute list --namespace "$TEMPORAL_NAMESPACE" | grep -qw "$name"; then
    temporal operator search-attribute create --namespace "$TEMPORAL_NAMESPACE" --name "$name" --type Keyword
  fi
done
