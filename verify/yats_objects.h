// What all objects of YATS need here: what they call besides each other, a name and a clock.

#ifndef YATS_OBJECTS_H
#define YATS_OBJECTS_H

// These come first: YATS has macros that are called `error`, `print` and `random`.
#include <algorithm>
#include <cstdarg>
#include <cstdio>
#include <cstdlib>
#include <iostream>
#include <map>
#include <string>
#include <utility>
#include <vector>

#include "sim.h"

// What they call: the interpreter of Lua in errors (these functions replace YATS' all.c); the scanner of the old scripts in their init(),
// which is not called here; and a search for objects by name, by which an ABR source finds its route.

static void
Fail(const char* format, ...)
{
    std::fputs("YATS: ", stderr);
    va_list values;
    va_start(values, format);
    std::vfprintf(stderr, format, values);
    va_end(values);
    std::fputs("\n", stderr);
    std::exit(1);
}

// clang-format off
void errm0(const char* m) { Fail("%s", m); }
void errm1s(const char* m, char* a) { Fail(m, a); }
void errm2s(const char* m, char* a, char* b) { Fail(m, a, b); }
void errm3s(const char* m, char* a, char* b, char* c) { Fail(m, a, b, c); }
void errm4s(const char* m, char* a, char* b, char* c, char* d) { Fail(m, a, b, c, d); }
void errm1d(const char* m, int a) { Fail(m, a); }
void errm1s1d(const char* m, char* a, int b) { Fail(m, a, b); }
void errm1s2d(const char* m, char* a, int b, int c) { Fail(m, a, b, c); }
void errm2s1d(const char* m, char* a, char* b, int c) { Fail(m, a, b, c); }

char* strsave(char* text) { return strcpy(new char[strlen(text) + 1], text); }

#define SCRIPT { Fail("%s reads a script, and there is none", __func__); std::abort(); }
void skip(int) SCRIPT
void skip_word(char*) SCRIPT
int test_word(char*) SCRIPT
int read_int(char*) SCRIPT
double read_double(char*) SCRIPT
char* read_string(char*) SCRIPT
char* read_id(char*) SCRIPT
char* read_suc(char*) SCRIPT
tok_typ eval(char*, char*) SCRIPT
void syntax0(char*) SCRIPT
void syntax1d(char*, int) SCRIPT
void syntax1s(char*, char*) SCRIPT
// clang-format on

static std::map<std::string, root*> objects;

root*
find_obj(char* name)
{
    auto found = objects.find(name);
    return found == objects.end() ? nullptr : found->second;
}

void fill_type_check_table();

namespace
{

// Gives an object its name.
template <class Object>
Object*
Named(Object* object, const std::string& name)
{
    object->name = strsave(const_cast<char*>(name.c_str()));
    objects[name] = object;
    return object;
}

void
Run(int slots)
{
    // With a distance between dots that exceeds the run, none is printed.
    _sim.run(slots, slots + 1);
}

} // namespace

#endif
