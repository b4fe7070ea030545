// The header of libyaml.
#ifndef ANNEX_YAML_H
#define ANNEX_YAML_H

#include <yaml.h>

#endif
